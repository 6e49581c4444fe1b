#include "libcore/quant/plan/amplified.h"

#include <algorithm>
#include <limits>
#include <set>

#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/quant/plan/node_kinds.h"
#include "libcore/quant/plan/sensitivity.h"

namespace quern {
namespace {

bool squares(const Node& node) { return node.is(ops::Pow) || (node.is(ops::Mul) && node.in[0] == node.in[1]); }
bool sums(const Node& node) { return node.op->name.starts_with("Reduce"); }

class Search {
   public:
    Search(const Graph& graph, const GraphPlan& plan) : graph_(graph), plan_(plan) {}

    // -> products behind whose squares or sums `logarithm` comes
    std::vector<NodeId> run(const Node& logarithm) {
        visit(logarithm.in[0], false);
        return {products_.begin(), products_.end()};
    }

   private:
    bool on_bytes(NodeId id) const {
        const Scheme* scheme = plan_.nodes.at(id).scheme;
        return scheme && scheme->full() && bits_of(scheme->activation) <= 8;
    }

    void visit(ValueId id, bool amplifies) {
        if (id == ValueId::none || graph_.value(id).constant() || !seen_.emplace(id, amplifies).second) return;
        const NodeId maker = graph_.value(id).producer;
        if (maker == NodeId::none) return;
        const Node& node = graph_.node(maker);
        if (weight_input(graph_, node) >= 0) {
            if (amplifies && on_bytes(maker)) products_.insert(maker);
            return;
        }
        const bool carries = squares(node) || sums(node) || moves(*node.op) || has(node.op->traits, Trait::elementwise) ||
                             has(node.op->traits, Trait::data_movement);
        // A quotient of two such is of another size, and what is small behind an exponential counts for nothing in a sum of them.
        if (!carries || node.is(ops::Div, ops::Exp)) return;
        for (const ValueId in : node.in) visit(in, amplifies || squares(node) || sums(node));
    }

    const Graph& graph_;
    const GraphPlan& plan_;
    std::set<std::pair<ValueId, bool>> seen_;
    std::set<NodeId> products_;
};

// What the logarithm would keep of what varies in it if its argument were on such codes, in dB; infinity where nothing is known.
double kept_by(const Node& logarithm, const NodePlan& product, const QuantWork& work, const Insight& insight) {
    const auto curve = logarithm.op->quant.steep.curve;
    const auto db = insight.response_db(logarithm.in[0], activation_spec(*product.scheme, work), product.search, curve);
    return db.value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

std::vector<Amplified> amplified_products(const Graph& graph, const GraphPlan& plan) {
    std::vector<Amplified> found;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.is(ops::Log) || plan.quantized(id)) continue;
        if (auto products = Search(graph, plan).run(node); !products.empty()) found.push_back({id, std::move(products)});
    }
    return found;
}

void keep_amplified(const Graph& graph, const QuantWork& work, GraphPlan& plan, const Insight& insight) {
    for (const Amplified& found : amplified_products(graph, plan)) {
        const Node& logarithm = graph.node(found.logarithm);
        for (const NodeId id : found.products) {
            NodePlan& product = plan.nodes.at(id);
            if (!product.scheme || product.demanded || !recipe_of(*product.scheme, work).edges_apart) continue;
            const double db = kept_by(logarithm, product, work, insight);
            if (db >= least_response_db) continue;
            product.only_weights = product.scheme;
            product.leave_float(fmt::format("Log \"{}\" takes its squares or sums, of which 8 bits would keep only {:.1f} dB",
                                            escape(logarithm.name), std::max(db, 0.0)));
        }
    }
}

std::vector<std::string> tell_amplified(const Graph& graph, const std::string& path, const GraphPlan& plan) {
    std::vector<std::string> told;
    for (const Amplified& found : amplified_products(graph, plan)) {
        std::vector<std::string> names;
        for (const NodeId id : found.products) names.push_back(escape(path + graph.node(id).name));
        std::ranges::sort(names);
        told.push_back(
            fmt::format("node \"{}\" (Log) takes squares or sums of what is rounded to 8 bits before: small ones keep little of them: {}",
                        escape(path + graph.node(found.logarithm).name), join(few_of(std::move(names)), ", ")));
    }
    return told;
}

}  // namespace quern
