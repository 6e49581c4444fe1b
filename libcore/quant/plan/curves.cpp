#include "libcore/quant/plan/curves.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "libcore/base/text.h"
#include "libcore/ops/shared/eval_node.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/plan/sensitivity.h"

namespace quern {
namespace {

constexpr size_t most_nodes = 64;  // of a curve: each value inside is tested by computing what follows it

struct Curve {
    ValueId root;
    std::vector<NodeId> nodes;  // in order
};

bool is_number(const Graph& graph, ValueId id) {
    const auto constant = graph.constant(id);
    return constant && constant->count() == 1;
}

bool is_pointwise(const Graph& graph, const Node& node) {
    return has(node.op->traits, Trait::elementwise) && node.op->eval && node.bodies.empty() && node.out.size() == 1 &&
           graph.value(node.out[0]).type.dtype == DType::f32 && !graph.value(node.out[0]).enc;
}

// Curves of two operators or more.
std::vector<Curve> curves_of(const Graph& graph) {
    std::map<ValueId, ValueId> roots;  // of the values inside
    std::map<ValueId, std::vector<NodeId>> members;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!is_pointwise(graph, node)) continue;
        std::set<ValueId> from;
        bool fits = true;
        for (const ValueId in : node.in) {
            if (in == ValueId::none || is_number(graph, in)) continue;
            fits = fits && !graph.value(in).constant() && graph.value(in).type.dtype == DType::f32;
            const auto root = roots.find(in);
            from.insert(root == roots.end() ? in : root->second);
        }
        if (!fits || from.size() != 1) continue;
        roots[node.out[0]] = *from.begin();
        members[*from.begin()].push_back(id);
    }
    std::vector<Curve> curves;
    for (auto& [root, nodes] : members)
        if (nodes.size() > 1 && nodes.size() <= most_nodes) curves.push_back({root, std::move(nodes)});
    return curves;
}

// One curve, computed at points of its root that stand for what was measured of it.
class Trial {
   public:
    Trial(const Graph& graph, const Curve& curve, const std::vector<Mass>& masses) : graph_(graph), curve_(curve) {
        constexpr int points = 8;  // of a mass, evenly
        std::vector<float> x;
        for (const Mass& mass : masses)
            for (int i = 0; i < points; ++i) {
                x.push_back(static_cast<float>(mass.lo + (i + 0.5) / points * (mass.hi - mass.lo)));
                weights_.push_back(mass.weight);
            }
        exact_[curve.root] = Tensor::vector<float>(x);
        for (const NodeId id : curve.nodes) exact_[graph.node(id).out[0]] = compute(id, exact_, {});
    }

    // What the results of the curve keep at least of what varies in them if `value` alone is rounded, in dB.
    double least_db(ValueId value, const Grid& grid, const GridSpec& spec) const {
        std::map<ValueId, Tensor> changed;
        changed[value] = rounded(value, grid, spec);
        double least = std::numeric_limits<double>::infinity();
        for (const NodeId id : curve_.nodes) {
            const Node& node = graph_.node(id);
            if (std::none_of(node.in.begin(), node.in.end(), [&](ValueId in) { return changed.contains(in); })) continue;
            changed[node.out[0]] = compute(id, exact_, changed);
            if (leaves(node.out[0])) least = std::min(least, kept_db(exact_.at(node.out[0]), changed.at(node.out[0])));
        }
        return least;
    }

   private:
    Tensor compute(NodeId id, const std::map<ValueId, Tensor>& usual, const std::map<ValueId, Tensor>& changed) const {
        std::vector<Tensor> inputs;
        for (const ValueId in : graph_.node(id).in) {
            const auto found = changed.find(in);
            inputs.push_back(in == ValueId::none      ? Tensor()
                             : is_number(graph_, in)  ? Tensor{graph_.constant(in)->dtype, {}, graph_.constant(in)->data}
                             : found != changed.end() ? found->second
                                                      : usual.at(in));
        }
        return eval_node(graph_.node(id), inputs).at(0);
    }

    // To its grid, but to no number beyond those that occur.
    Tensor rounded(ValueId value, const Grid& grid, const GridSpec& spec) const {
        std::vector<float> x = to_floats(exact_.at(value));
        const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
        const float lo = *least, hi = *greatest;
        for (float& number : x) number = std::clamp(static_cast<float>(grid.rounded(static_cast<double>(number), spec)), lo, hi);
        return Tensor::vector<float>(x);
    }

    // Does something outside of the curve read the value?
    bool leaves(ValueId value) const {
        const auto uses = graph_.uses(value);
        return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
            return use.node == NodeId::none || std::find(curve_.nodes.begin(), curve_.nodes.end(), use.node) == curve_.nodes.end();
        });
    }

    double kept_db(const Tensor& exact, const Tensor& changed) const {
        const auto x = to_floats(exact), y = to_floats(changed);
        double total = 0, sum = 0, squares = 0, noise = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const double is = x[i], error = is - static_cast<double>(y[i]);
            if (!std::isfinite(is)) continue;
            total += weights_[i];
            sum += weights_[i] * is;
            squares += weights_[i] * is * is;
            noise += weights_[i] * error * error;
        }
        const double variance = total > 0 ? squares - sum * sum / total : 0;
        if (!(noise > 0)) return std::isnan(noise) ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        return 10 * portable::log10(std::max(variance, std::numeric_limits<double>::min()) / noise);
    }

    const Graph& graph_;
    const Curve& curve_;
    std::vector<double> weights_;
    std::map<ValueId, Tensor> exact_;
};

// The operators of a curve behind which its results are lost, and all that follows them in it.
void test_curve(const Graph& graph, const Curve& curve, const GraphPlan& plan, const QuantWork& work, const Insight& insight,
                std::map<NodeId, std::string>& left) {
    const auto rounds = [&](NodeId id) {
        const NodePlan& node_plan = plan.nodes.at(id);
        return node_plan.scheme && node_plan.scheme->full() && !node_plan.demanded;
    };
    if (std::none_of(curve.nodes.begin(), curve.nodes.end() - 1, rounds)) return;
    const std::vector<Mass> masses = insight.masses(curve.root);
    if (masses.empty()) return;
    const Trial trial(graph, curve, masses);
    std::map<ValueId, std::string> lost;
    for (const NodeId id : curve.nodes) {
        const Node& node = graph.node(id);
        const ValueId out = node.out[0];
        std::string reason;
        for (const ValueId in : node.in)
            if (const auto found = lost.find(in); found != lost.end()) reason = found->second;
        if (reason.empty() && rounds(id) && plan.nodes.at(id).makes_codes()) {
            const NodePlan& node_plan = plan.nodes.at(id);
            const GridSpec spec = made_spec(*node_plan.scheme, work);
            const auto grid = insight.grid(out, spec, node_plan.search);
            const double db = grid ? trial.least_db(out, *grid, spec) : std::numeric_limits<double>::infinity();
            if (db < least_response_db)
                reason =
                    fmt::format("value \"{}\" must not be rounded: the function of \"{}\" that it is a part of would keep only {:.1f} dB",
                                escape(graph.value(out).name), escape(graph.value(curve.root).name), db);
        }
        if (reason.empty()) continue;
        lost.emplace(out, reason);
        if (rounds(id)) left.emplace(id, reason);
    }
}

}  // namespace

std::map<NodeId, std::string> lost_in_curves(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight) {
    std::map<NodeId, std::string> left;
    if (!work.request.scheme || !work.request.scheme->full() || work.request.full_integer) return left;
    for (const Curve& curve : curves_of(graph)) test_curve(graph, curve, plan, work, insight, left);
    return left;
}

}  // namespace quern
