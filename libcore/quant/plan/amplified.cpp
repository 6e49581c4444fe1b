#include "libcore/quant/plan/amplified.h"

#include <set>

#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/quant/plan/node_kinds.h"

namespace quern {
namespace {

bool squares(const Node& node) { return node.is(ops::Pow) || (node.is(ops::Mul) && node.in[0] == node.in[1]); }
bool sums(const Node& node) { return node.op->name.starts_with("Reduce"); }

class Search {
   public:
    Search(const Graph& graph, const GraphPlan& plan) : graph_(graph), plan_(plan) {}

    // -> names of products behind whose squares or sums `logarithm` comes
    std::vector<std::string> run(const Node& logarithm) {
        visit(logarithm.in[0], false);
        return {names_.begin(), names_.end()};
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
            if (amplifies && on_bytes(maker)) names_.insert(node.name);
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
    std::set<std::string> names_;
};

}  // namespace

std::vector<std::string> amplified_products(const Graph& graph, const std::string& path, const GraphPlan& plan) {
    std::vector<std::string> found;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.is(ops::Log) || plan.quantized(id)) continue;
        std::vector<std::string> names = Search(graph, plan).run(node);
        if (names.empty()) continue;
        for (std::string& name : names) name = escape(fmt::format("{}{}", path, name));
        found.push_back(
            fmt::format("node \"{}\" (Log) takes squares or sums of what is rounded to 8 bits before: small ones keep little of them: {}",
                        escape(path + node.name), join(few_of(std::move(names)), ", ")));
    }
    return found;
}

}  // namespace quern
