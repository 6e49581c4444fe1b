#include "libcore/quant/plan/joined.h"

#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/quant/types/asked.h"
#include "libcore/support/runtime.h"

namespace quern {
namespace {

// Does anything but the type speak of the node?
bool is_spoken_of(const Node& node, const std::string& path, const QuantWork& work) {
    const Asked asked = asked_of(node, path, work);
    return asked.demanded || !asked.scheme || asked.scheme != work.request.scheme;
}

// What L2_NORMALIZATION computes.
bool is_of_lengths(const Graph& graph, const Node& node) {
    if (!node.is(ops::LpNormalization)) return false;
    const NodeView view(node);
    const int64_t axis = view.integer("axis");
    const Shape& shape = graph.value(node.in[0]).type.shape;
    return view.integer("p") == 2 && (axis == -1 || (shape.ranked && axis + 1 == static_cast<int64_t>(shape.rank())));
}

// Both ends of a Transpose hold the same numbers.
void share_range(const Graph& graph, const Node& node, const std::string& path, Ranges& ranges) {
    const std::string x = path + graph.value(node.in[0]).name, y = path + graph.value(node.out[0]).name;
    const auto at_x = ranges.values.find(x), at_y = ranges.values.find(y);
    if (at_x != ranges.values.end() && at_y == ranges.values.end()) ranges.values.emplace(y, at_x->second);
    if (at_y != ranges.values.end() && at_x == ranges.values.end()) ranges.values.emplace(x, at_y->second);
}

}  // namespace

Graph joined(const Graph& graph, std::span<const Pass* const> passes, const QuantWork& work) {
    Graph made = graph;
    if (run_passes(made, passes) == 0) return made;
    drop_dead.run(made);
    std::set<std::string> left;
    for_each_graph(made, [&](const Graph& part, const std::string& path) {
        for (const NodeId id : part.order()) left.insert(path + part.node(id).name);
    });
    bool free = true;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (const NodeId id : part.order()) {
            const Node& node = part.node(id);
            free = free && (left.contains(path + node.name) || !is_spoken_of(node, path, work));
        }
    });
    return free ? made : graph;
}

void join_wholes(Graph& graph, Ranges* ranges, const QuantWork& work) {
    graph = joined(graph, std::array{&fuse_gelu, &fuse_layernorm, &fuse_rmsnorm, &fuse_channelnorm}, work);
    if (!ranges) return;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (const NodeId id : part.order())
            if (part.node(id).is(ops::Transpose)) share_range(part, part.node(id), path, *ranges);
    });
}

void join_gelu(Graph& graph, const QuantWork& work) {
    if (support::has_kernel(support::runtime_named("litert"), "Gelu", name_of(work.request.scheme->activation)))
        graph = joined(graph, std::array{&fuse_gelu}, work);
}

void join_lpnorm(Graph& graph, QuantWork& work) {
    const Recipe& recipe = recipe_of(*work.request.scheme, work);
    if (work.request.destination.format != "tflite" || !recipe.fixed_as(*need_op(ops::LpNormalization), work.request.scheme->activation))
        return;
    graph = joined(graph, std::array{&fuse_lpnorm}, work);
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (const NodeId id : part.order())
            if (const Node& node = part.node(id); is_of_lengths(part, node)) work.spelled.insert(path + node.name);
    });
}

}  // namespace quern
