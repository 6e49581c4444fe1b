// Nodes that do nothing, and nodes whose results nobody reads.
#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// ---- drop_identity ----------------------------------------------------------------------------------------------------

bool same_type(const Graph& graph, ValueId a, ValueId b) {
    const Type &x = graph.value(a).type, &y = graph.value(b).type;
    if (x.kind != Type::Kind::tensor || x.dtype != y.dtype || !x.shape.ranked || !y.shape.ranked || x.shape.rank() != y.shape.rank())
        return false;
    return std::equal(x.shape.dims.begin(), x.shape.dims.end(), y.shape.dims.begin(), same);
}

bool keeps_order(const Node& node) {
    const auto order = NodeView(node).integers("perm");
    for (size_t i = 0; i < order.size(); ++i)
        if (order[i] != static_cast<int64_t>(i)) return false;
    return !order.empty();
}

bool all_zero(const Graph& graph, ValueId id) {
    const auto items = ints_of(graph, id);
    return items && std::all_of(items->begin(), items->end(), [](int64_t n) { return n == 0; });
}

// Does a Slice step forwards? A step back over a whole axis keeps its length and turns it around.
bool steps_forward(const Graph& graph, const Node& node) {
    if (input_of(node, 4) == ValueId::none) return true;
    const auto steps = ints_of(graph, input_of(node, 4));
    return steps && std::all_of(steps->begin(), steps->end(), [](int64_t step) { return step > 0; });
}

bool trains(const Graph& graph, const Node& node) {
    const ValueId mode = input_of(node, 2);
    if (mode == ValueId::none) return false;
    const auto tensor = graph.constant(mode);
    return !tensor || tensor->count() != 1 || tensor->data.data()[0] != std::byte{0};
}

bool does_nothing(const Graph& graph, const Node& node) {
    if (node.in.empty() || node.in[0] == ValueId::none || node.out.empty() || node.out[0] == ValueId::none) return false;
    const ValueId x = node.in[0], y = node.out[0];
    if (graph.value(x).enc != graph.value(y).enc) return false;
    if (node.is(ops::Identity)) return true;
    if (node.is(ops::Dropout)) return node.out.size() == 1 && !trains(graph, node);
    if (node.is(ops::Concat, ops::Sum)) return node.in.size() == 1;
    if (node.is(ops::Transpose)) return keeps_order(node);
    if (node.is(ops::Pad)) return all_zero(graph, input_of(node, 1));
    if (node.is(ops::Cast)) return graph.value(x).type.dtype == graph.value(y).type.dtype && graph.value(x).type.dtype != DType::none;
    if (node.is(ops::Reshape, ops::Expand, ops::Flatten)) return same_type(graph, x, y);
    if (node.is(ops::Slice)) return steps_forward(graph, node) && same_type(graph, x, y);
    return false;
}

int drop_identity_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const Node& node = graph.node(id);
        if (node.erased || !does_nothing(graph, node)) continue;
        const ValueId x = node.in[0], y = node.out[0];
        if (!forward(graph, y, x)) continue;
        if (!graph.node(id).erased) {
            graph.erase(id);
            graph.erase(y);
        }
        ++changes;
    }
    return changes;
}

// ---- drop_dead --------------------------------------------------------------------------------------------------------

int drop_dead_in(Graph& graph) {
    int changes = 0;
    auto uses = graph.all_uses();
    std::vector<size_t> readers(uses.size());
    for (size_t i = 0; i < uses.size(); ++i) readers[i] = uses[i].size();
    for (const auto& [state, next] : states_of(graph)) ++readers[index_of(next)];
    const std::vector<NodeId> order = graph.topo();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        Node& node = graph.node(*it);
        const auto dead = [&](ValueId out) { return out == ValueId::none || readers[index_of(out)] == 0; };
        if (!std::all_of(node.out.begin(), node.out.end(), dead)) continue;
        for (const ValueId in : node.in)
            if (in != ValueId::none) --readers[index_of(in)];
        for (const Graph& body : node.bodies)
            for (const Graph::Capture& capture : body.captures) --readers[index_of(capture.outer)];
        const std::vector<ValueId> outs = node.out;
        graph.erase(*it);
        for (const ValueId out : outs)
            if (out != ValueId::none) graph.erase(out);
        ++changes;
    }
    for (size_t i = 0; i < readers.size(); ++i) {
        const auto id = static_cast<ValueId>(i);
        const Value& value = graph.value(id);
        if (value.erased || readers[i] > 0 || value.producer != NodeId::none || graph.is_input(id)) continue;
        std::erase_if(graph.captures, [&](const Graph::Capture& capture) { return capture.inner == id; });
        graph.erase(id);
        ++changes;
    }
    return changes;
}

}  // namespace

// Bodies first: what only they captured is dead afterwards.
static int drop_dead_everywhere(Graph& graph) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order()))
        for (Graph& body : graph.node(id).bodies) changes += drop_dead_everywhere(body);
    return changes + drop_dead_in(graph);
}

constinit const Pass drop_identity{"drop_identity", "drop nodes that do nothing: Identity, Dropout, no-op Cast, Reshape, Pad ...",
                                   [](Graph& graph) { return on_every_graph(graph, drop_identity_in); }};
constinit const Pass drop_dead{"drop_dead", "drop nodes and constants that nothing reads", drop_dead_everywhere};

}  // namespace quern
