#include "libcore/quant/plan/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

bool sets_scale(const Graph& graph, const Node& node) {
    if (has(node.op->quant.traits, QuantTrait::sets_scale)) return true;
    if (has(node.op->traits, Trait::activation) && !node.is(ops::Clip)) return true;
    return node.op->quant.weight >= 0 && weight_input(graph, node) < 0;
}

// The type, if it rounds activations and may be told not to.
const Scheme* rounding_scheme(const QuantWork& work) {
    const bool rounds = work.request.scheme && work.request.scheme->activations != Scheme::Activations::float32;
    return rounds && !work.request.full_integer ? work.request.scheme : nullptr;
}

std::string must_not_be_rounded(const Node& node, std::string_view why) {
    return fmt::format("{} \"{}\", whose input must not be rounded: {}", node.op->name, escape(node.name), why);
}

std::string keeps(const Node& node, double db) {
    return must_not_be_rounded(node, fmt::format("it would keep only {:.1f} dB of what varies in its results", db));
}

// What the results of a product with constant weights would keep of what varies in them, in dB, if its input alone were rounded.
double product_db(const Graph& graph, const Node& node, const NodePlan& plan, const QuantWork& work, const Insight& insight) {
    constexpr double all = std::numeric_limits<double>::infinity();
    if (!node.is(ops::Gemm, ops::MatMul) || (plan.scheme->full() && !plan.takes_codes())) return all;
    if (weight_input(graph, node) != 1 || graph.value(node.in[0]).constant() || graph.value(node.in[1]).enc) return all;
    const Tensor weight = *graph.constant(node.in[1]);
    const int axis = weight_axis_of(node, weight.dims.size());
    if (axis < 0 || weight.dims[static_cast<size_t>(axis)] == 0) return all;
    double gain = 0;  // mean sum of squared weights of a column
    for (const float w : to_floats(weight)) gain += static_cast<double>(w) * static_cast<double>(w);
    gain /= static_cast<double>(weight.dims[static_cast<size_t>(axis)]);
    const double noise = gain * insight.noise(node.in[0], taken_spec(*plan.scheme, work), plan.search),
                 variance = insight.moments(node.out[0]).variance;
    return noise > 0 && variance > 0 ? 10 * portable::log10(variance / noise) : all;
}

// What must stay float, found from the outputs back.
class Losses {
   public:
    Losses(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight, const Scheme& scheme)
        : graph_(graph), plan_(plan), work_(work), insight_(insight), spec_(activation_spec(scheme, work)), dynamic_(!scheme.full()) {}

    // -> nodes, and why
    std::map<NodeId, std::string> run() {
        const auto& order = graph_.order();
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            const NodePlan& node_plan = plan_.nodes.at(*it);
            if (node_plan.scheme)
                test_quantized(*it, node_plan);
            else
                test_other(graph_.node(*it), node_plan);
        }
        return std::move(left_);
    }

   private:
    void want(ValueId id, const std::string& why) {
        if (id != ValueId::none && !graph_.value(id).constant()) wanted_.emplace(id, why);
    }

    // Why a result has to stay float; "": it need not.
    std::string reason_of(const Node& node) const {
        std::string reason;
        for (const ValueId out : node.out)
            if (const auto found = wanted_.find(out); found != wanted_.end()) reason = found->second;
        return reason;
    }

    void test_steep(const Node& node, const NodePlan& node_plan) {
        const Steepness& steep = node.op->quant.steep;
        if (!steep.curve || steep.input >= node.in.size()) return;
        const ValueId argument = node.in[steep.input];
        if (argument == ValueId::none || graph_.value(argument).constant()) return;
        const std::optional<double> db = insight_.response_db(argument, spec_, node_plan.search, steep.curve);
        if (db && *db < least_response_db) want(argument, keeps(node, *db));
        if (!db && dynamic_) want(argument, must_not_be_rounded(node, "no ranges say what it would keep"));
    }

    void test_other(const Node& node, const NodePlan& node_plan) {
        const std::string reason = reason_of(node);
        if (node_plan.sensitive || dynamic_) test_steep(node, node_plan);
        // Noise goes on through what works element by element; sums level it out.
        const bool carries = has(node.op->traits, Trait::elementwise) || has(node.op->traits, Trait::data_movement);
        if (!carries || reason.empty() || sets_scale(graph_, node)) return;
        for (const ValueId in : node.in) want(in, reason);
    }

    void test_quantized(NodeId id, const NodePlan& node_plan) {
        const Node& node = graph_.node(id);
        if (node_plan.scheme->activations == Scheme::Activations::float32 || node_plan.demanded) return;
        std::string reason = reason_of(node);
        if (reason.empty())
            if (const double db = product_db(graph_, node, node_plan, work_, insight_); db < least_response_db) reason = keeps(node, db);
        if (reason.empty() || sets_scale(graph_, node)) return;
        left_[id] = reason;
        for (const ValueId in : node.in) want(in, reason);
    }

    const Graph& graph_;
    const GraphPlan& plan_;
    const QuantWork& work_;
    const Insight& insight_;
    const GridSpec spec_;
    const bool dynamic_;                     // what is between products stays float anyway
    std::map<ValueId, std::string> wanted_;  // values that must stay float, and why
    std::map<NodeId, std::string> left_;
};

// Is the curve without a value one step beyond what was seen? Others than these samples reach there: a logarithm of what rounds to 0. What
// has one sign keeps it.
bool ends_beyond(const Grid& grid, const GridSpec& spec, const std::function<double(double)>& curve, double least, double greatest) {
    const auto step = static_cast<double>(grid.scale);
    const double below = grid.rounded(least - step, spec), above = grid.rounded(greatest + step, spec);
    return !std::isfinite(curve(least >= 0 ? std::max(below, 0.0) : below)) ||
           !std::isfinite(curve(greatest <= 0 ? std::min(above, 0.0) : above));
}

}  // namespace

double response_db(const std::vector<Mass>& masses, const Grid& grid, const GridSpec& spec, const std::function<double(double)>& curve,
                   bool about_mean) {
    if (masses.empty()) return std::numeric_limits<double>::infinity();
    constexpr int points = 8;  // of a mass, evenly
    const double least = masses.front().lo, greatest = masses.back().hi;
    double total = 0, sum = 0, squares = 0, noise = 0;
    for (const Mass& mass : masses)
        for (int i = 0; i < points; ++i) {
            const double x = mass.lo + (i + 0.5) / points * (mass.hi - mass.lo), y = curve(x);
            const double rounded = curve(std::clamp(grid.rounded(x, spec), least, greatest));
            if (!std::isfinite(y)) continue;
            if (!std::isfinite(rounded)) return -std::numeric_limits<double>::infinity();
            total += mass.weight;
            sum += mass.weight * y;
            squares += mass.weight * y * y;
            noise += mass.weight * (y - rounded) * (y - rounded);
        }
    if (ends_beyond(grid, spec, curve, least, greatest)) return -std::numeric_limits<double>::infinity();
    const double variance = squares - (about_mean && total > 0 ? sum * sum / total : 0);
    if (noise <= 0) return std::numeric_limits<double>::infinity();
    return 10 * portable::log10(std::max(variance, std::numeric_limits<double>::min()) / noise);
}

double kept_db(const std::vector<Mass>& masses, const Grid& grid, const GridSpec& spec) {
    return masses.empty() ? std::numeric_limits<double>::infinity() : response_db(masses, grid, spec, [](double x) { return x; });
}

bool loses_to(const Op& op, const std::vector<Mass>& masses, const Grid& fixed, const Grid& measured, const GridSpec& spec) {
    const double db = kept_db(masses, fixed, spec);
    return db < (has(op.traits, Trait::elementwise) ? least_response_db : least_response_db / 2) &&
           kept_db(masses, measured, spec) >= std::max(db, 0.0) + 10;
}

std::map<NodeId, std::string> lost_to_rounding(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight) {
    const Scheme* scheme = rounding_scheme(work);
    return scheme ? Losses(graph, plan, work, insight, *scheme).run() : std::map<NodeId, std::string>();
}

}  // namespace quern
