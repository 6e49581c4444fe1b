#include "libcore/quant/plan/tables.h"

#include <algorithm>

#include "libcore/quant/ranges/numbers.h"

namespace quern {
namespace {

// How many steps of the grid of what is looked up make one of the grid that holds the whole table; 0: not known.
double table_step(const Graph& graph, const Node& gather, const NodePlan& plan, const QuantWork& work, const Insight& insight) {
    const GridSpec spec = activation_spec(*plan.scheme, work);
    const auto measured = insight.grid(gather.out[0], spec, plan.search);
    const Tensor table = *graph.constant(gather.in[0]);
    const std::span<const float> numbers = table.view<float>();
    if (!measured || numbers.empty()) return 0;
    const auto [lo, hi] = std::ranges::minmax(numbers);
    const double step = static_cast<double>(grid_of({std::min<double>(lo, 0), std::max<double>(hi, 0)}, spec).scale);
    table.data.release();
    return step / static_cast<double>(measured->scale);
}

// Does a product of the plan read the table as its weight? Both read one constant then.
bool is_tied(const Graph& graph, ValueId table, const GraphPlan& plan) {
    return std::ranges::any_of(graph.uses(table), [&](const Use& use) {
        return use.node != NodeId::none && plan.quantized(use.node) && weight_input(graph, graph.node(use.node)) == use.index;
    });
}

// Is its table moved as codes of activations, where the type would store it as a weight, too?
bool may_choose(const Graph& graph, const Node& node, const NodePlan& plan, const QuantWork& work) {
    const Scheme* scheme = plan.scheme;
    if (!scheme || !scheme->full() || !scheme->recipe.empty()) return false;
    if (!is_table(graph, node) || graph.value(node.in[0]).enc) return false;
    return weights_obstacle(graph, node, *scheme, work).empty() && !recipe_of(*scheme, work).rules;
}

}  // namespace

std::string weights_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const QuantWork& work) {
    const Recipe& recipe = recipe_of(scheme, work);
    const bool table = is_table(graph, node);
    if (table && is_float(scheme.weight)) return "";
    if (table && work.for_products_runtime) return "onert, which reads Circle, looks up no codes as numbers";
    // Rules of a runtime that has no recurrent layers say nothing of those that go to another one.
    const bool beyond = is_recurrent(node) && !work.for_products_runtime;
    const bool takes = table ? recipe.tables : beyond || recipe.takes_weight_only(*node.op);
    return takes ? "" : fmt::format("its weights stay float by {}", recipe.doc);
}

std::map<NodeId, std::string> coarse_tables(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight) {
    constexpr double most = 1.5;  // steps, of what is looked up: docs/numerics.md
    std::map<NodeId, std::string> found;
    if (work.request.full_integer) return found;
    for (const auto& [id, node_plan] : plan.nodes) {
        const Node& node = graph.node(id);
        if (!may_choose(graph, node, node_plan, work)) continue;
        if (bits_of(node_plan.scheme->weight) < bits_of(node_plan.scheme->activation))
            found[id] = "its table has the type of weights";
        else if (node_plan.demanded)  // codes of one width: a rule means those that are moved
            continue;
        else if (is_tied(graph, node.in[0], plan))
            found[id] = "its table is the weight of a product, too";
        else if (const double step = table_step(graph, node, node_plan, work, insight); step > most)
            found[id] = fmt::format("steps of one grid for its table would be {:.3g} times those of what is looked up", step);
    }
    return found;
}

}  // namespace quern
