// Transposes that undo each other, also with elementwise operators between them.

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

using Order = std::vector<int64_t>;

// The permutation of a Transpose; empty if its rank is not known.
Order order_of(const Graph& graph, const Node& node) {
    Order order = NodeView(node).integers("perm");
    const Shape& shape = graph.value(node.in[0]).type.shape;
    if (order.empty() && shape.ranked)
        for (size_t i = shape.rank(); i-- > 0;) order.push_back(static_cast<int64_t>(i));
    return order;
}

// First by `first`, then by `second`.
Order composed(const Order& first, const Order& second) {
    Order out;
    for (const int64_t axis : second) out.push_back(first[static_cast<size_t>(axis)]);
    return out;
}

bool is_identity(const Order& order) {
    for (size_t i = 0; i < order.size(); ++i)
        if (order[i] != static_cast<int64_t>(i)) return false;
    return true;
}

// A node that does the same to each element wherever it lies: its other inputs are single numbers.
bool is_pointwise(const Graph& graph, const Node& node) {
    if (!has(node.op->traits, Trait::elementwise) || node.out.size() != 1 || !node.bodies.empty()) return false;
    size_t varying = 0;
    for (const ValueId in : node.in) {
        if (in == ValueId::none) continue;
        const Value& value = graph.value(in);
        if (value.constant() && value.type.shape.rank() <= 1 && count_of(*value.type.shape.concrete()) == 1) continue;
        ++varying;
    }
    return varying == 1 && node.in[0] != ValueId::none && !graph.value(node.in[0]).constant();
}

// The Transpose above `id`, through pointwise nodes that nobody else reads.
struct Upper {
    const Node* transpose = nullptr;
    std::vector<const Node*> between;  // nearest first
};
Upper upper_transpose(const Graph& graph, ValueId id) {
    Upper upper;
    while (graph.value(id).producer != NodeId::none) {
        const Node& node = graph.node(graph.value(id).producer);
        if (node.is(ops::Transpose)) {
            upper.transpose = &node;
            return upper;
        }
        if (!is_pointwise(graph, node) || graph.uses(id).size() != 1) return {};
        if (const auto& enc = graph.value(id).enc; enc && !enc->per_tensor()) return {};
        upper.between.push_back(&node);
        id = node.in[0];
    }
    return {};
}

bool drop(Graph& graph, NodeId id) {
    const Node& lower = graph.node(id);
    const ValueId result = lower.out[0];
    const Upper upper = upper_transpose(graph, lower.in[0]);
    if (!upper.transpose || graph.value(result).enc != graph.value(lower.in[0]).enc) return false;
    const Order first = order_of(graph, *upper.transpose), second = order_of(graph, lower);
    if (first.empty() || first.size() != second.size()) return false;
    const Order both = composed(first, second);
    const ValueId source = upper.transpose->in[0];
    if (upper.between.empty()) {
        if (!is_identity(both)) {
            take_over(graph, result, lower.op, {source}, {{"perm", both}});
            return true;
        }
        if (!forward(graph, result, source)) return false;
        if (!graph.node(id).erased) {
            graph.erase(id);
            graph.erase(result);
        }
        return true;
    }
    if (!is_identity(both) || graph.uses(upper.between.back()->in[0]).size() != 1) return false;
    // The pointwise nodes work on the source as it lies; the last one makes the result.
    const NodeId first_between = graph.value(upper.between.back()->out[0]).producer;
    graph.node(first_between).in[0] = source;
    for (const Node* node : upper.between) {
        Value& value = graph.value(node->out[0]);
        value.type = Type::tensor(value.type.dtype);
    }
    const ValueId last = lower.in[0];
    const NodeId maker = graph.value(last).producer;
    graph.erase(id);
    graph.node(maker).out[0] = result;
    graph.value(result).producer = maker;
    graph.value(last).producer = NodeId::none;
    graph.erase(last);
    return true;
}

int drop_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (!graph.node(id).erased && graph.node(id).is(ops::Transpose) && drop(graph, id)) ++changes;
    return changes;
}

}  // namespace

constinit const Pass drop_transpose_pairs{"drop_transpose_pairs",
                                          "drop or join Transposes that follow each other, also across elementwise operators",
                                          [](Graph& graph) { return on_every_graph(graph, drop_in); }};

}  // namespace quern
