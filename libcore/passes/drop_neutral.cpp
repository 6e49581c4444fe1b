// Nodes that do something by themselves, but nothing with what is beside or behind them.
#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

bool all_are(const Graph& graph, ValueId id, float number) {
    if (id == ValueId::none || !is_plain_constant(graph, id)) return false;
    const auto numbers = to_floats(*graph.constant(id));
    return std::ranges::all_of(numbers, [&](float x) { return x == number; });
}

// The operand that arithmetic with 0 or 1 gives back, in the dims of the result; none for other nodes.
ValueId neutral_operand(const Graph& graph, const Node& node) {
    const bool either = node.is(ops::Add, ops::Mul);
    if (!either && !node.is(ops::Sub, ops::Div)) return ValueId::none;
    const float nothing = node.is(ops::Add, ops::Sub) ? 0 : 1;
    const auto given_back = [&](size_t i) {
        const Value &x = graph.value(node.in[i]), &y = graph.value(node.out[0]);
        const auto dims = x.type.shape.concrete();
        return dims && dims == y.type.shape.concrete() && x.enc == y.enc && all_are(graph, node.in[1 - i], nothing);
    };
    if (given_back(0)) return node.in[0];
    return either && given_back(1) ? node.in[1] : ValueId::none;
}

// A Reshape whose dims say all, whatever those of its data are.
bool takes_any_dims(const Graph& graph, const Node& node) {
    if (!node.is(ops::Reshape)) return false;
    const auto dims = ints_of(graph, node.in[1]);
    return dims && std::ranges::find(*dims, 0) == dims->end();
}

// A Squeeze of directions belongs to the operator before it: formats whose sequences have one direction write both as one.
bool is_of_sequence(const Graph& graph, const Node& node) {
    const NodeId by = graph.value(node.in[0]).producer;
    return node.is(ops::Squeeze) && by != NodeId::none && graph.node(by).is(ops::LSTM, ops::GRU, ops::RNN);
}

// The operand of a Reshape whose readers all give its elements dims of their own; none for other nodes.
ValueId reshaped_again(const Graph& graph, const Node& node) {
    if (!node.is(ops::Reshape, ops::Flatten) && !node.is(ops::Squeeze, ops::Unsqueeze)) return ValueId::none;
    if (is_of_sequence(graph, node)) return ValueId::none;
    const ValueId x = node.in[0], y = node.out[0];
    const auto uses = graph.uses(y);
    const auto again = [&](const Use& use) {
        return use.node != NodeId::none && use.index == 0 && takes_any_dims(graph, graph.node(use.node));
    };
    if (uses.empty() || !std::ranges::all_of(uses, again) || graph.value(x).enc != graph.value(y).enc) return ValueId::none;
    return std::ranges::none_of(states_of(graph), [&](const auto& state) { return state.second == y; }) ? x : ValueId::none;
}

// A Gather of all that an axis has, in its order.
bool gathers_all(const Graph& graph, const Node& node) {
    if (!node.is(ops::Gather) || node.in[1] == ValueId::none || graph.value(node.in[1]).enc) return false;
    const auto indices = graph.constant(node.in[1]);
    const Shape& shape = graph.value(node.in[0]).type.shape;
    if (!indices || !shape.ranked) return false;
    const int64_t length = shape.dims[normal_axis(NodeView(node).integer("axis"), shape.rank())].value;
    if (length != indices->count()) return false;
    const std::vector<int64_t> numbers = to_ints(*indices);
    for (int64_t i = 0; i < length; ++i)
        if (const int64_t at = numbers[static_cast<size_t>(i)]; at != i && at != i - length) return false;
    return true;
}

// A Gather that gives its elements other dims at most becomes a Reshape, which is returned; other nodes stay. Shapes and positions, int64,
// stay as what reads them knows them.
NodeId reshape_instead(Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const ValueId x = node.in[0], y = node.out[0];
    const auto dims = graph.value(y).type.shape.concrete();
    if (graph.value(x).type.dtype == DType::i64 || !dims || std::ranges::find(*dims, 0) != dims->end() ||
        graph.value(x).enc != graph.value(y).enc || !gathers_all(graph, node))
        return id;
    const ValueId all = graph.add_constant(graph.unique_name(graph.value(y).name + "_dims"), Tensor::vector<int64_t>(*dims));
    return take_over(graph, y, need_op(ops::Reshape), {x, all}, {});
}

// Operands of a Concat that have no element.
int drop_empty_operands(Graph& graph, Node& node) {
    if (!node.is(ops::Concat)) return 0;
    const int64_t axis = NodeView(node).integer("axis");
    const auto empty = [&](ValueId id) {
        const Shape& shape = graph.value(id).type.shape;
        return shape.ranked && shape.dims[normal_axis(axis, shape.dims.size())].value == 0;
    };
    std::vector<ValueId> full;
    std::ranges::remove_copy_if(node.in, std::back_inserter(full), empty);
    const auto dropped = static_cast<int>(node.in.size() - full.size());
    if (full.empty() || dropped == 0) return 0;
    node.in = full;
    return dropped;
}

int drop_at(Graph& graph, NodeId visited) {
    int changes = drop_empty_operands(graph, graph.node(visited));
    const NodeId id = reshape_instead(graph, visited);
    if (id != visited) ++changes;
    const Node& node = graph.node(id);
    const ValueId again = reshaped_again(graph, node), x = again != ValueId::none ? again : neutral_operand(graph, node);
    const ValueId y = node.out[0];
    if (x == ValueId::none || !forward(graph, y, x)) return changes;
    if (!graph.node(id).erased) {
        graph.erase(id);
        graph.erase(y);
    }
    return changes + 1;
}

// From the end, so that of Reshapes in a row only the last stays.
int drop_neutral_in(Graph& graph) {
    int changes = 0;
    const std::vector<NodeId> order = graph.topo();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const Node& node = graph.node(*it);
        if (node.erased || node.in.empty() || node.in[0] == ValueId::none || node.out.empty() || node.out[0] == ValueId::none) continue;
        changes += drop_at(graph, *it);
    }
    return changes;
}

}  // namespace

constinit const Pass drop_neutral{"drop_neutral",
                                  "drop x + 0, x * 1, a Reshape before another, a Gather of everything, empty operands of a Concat",
                                  [](Graph& graph) { return on_every_graph(graph, drop_neutral_in); }};

}  // namespace quern
