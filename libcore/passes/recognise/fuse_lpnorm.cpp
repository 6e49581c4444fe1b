// LpNormalization over the last dim, lengths below 1e-6 counting as that, spelled out as L2_NORMALIZATION of TFLite is read, and as
// TensorFlow's l2_normalize is:
//     y = x / max(sqrt(sum(x^2)), 1e-6)        and        y = x * (1 / sqrt(max(sum(x^2), 1e-12))), or x / sqrt(max(sum(x^2), 1e-12))
#include "libcore/graph/device.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr float least_length = 1e-6f, least_square = 1e-12f;

// x of the sum of its squares over the last dim, which stays as one of length 1.
ValueId summed(const Graph& graph, ValueId id) {
    const Node* sum = made_by(graph, id, ops::ReduceSum);
    if (!sum || NodeView(*sum).integer("keepdims") != 1) return ValueId::none;
    const Node* square = made_by(graph, sum->in[0], ops::Mul);
    const auto axes = ints_of(graph, input_of(*sum, 1));
    if (!square || square->in[0] != square->in[1] || !axes || axes->size() != 1) return ValueId::none;
    const Shape& shape = graph.value(square->in[0]).type.shape;
    const bool last = axes->front() == -1 || (shape.ranked && axes->front() + 1 == static_cast<int64_t>(shape.rank()));
    return last ? square->in[0] : ValueId::none;
}

// The other operand of Max with this number.
ValueId at_least(const Graph& graph, ValueId id, float least) {
    const Node* max = made_by(graph, id, ops::Max);
    if (!max || max->in.size() != 2) return ValueId::none;
    for (const size_t i : {size_t{0}, size_t{1}})
        if (scalar_of(graph, max->in[i]) == least) return max->in[1 - i];
    return ValueId::none;
}

// x of its length along the last dim.
ValueId measured(const Graph& graph, ValueId id) {
    if (const Node* root = made_by(graph, id, ops::Sqrt)) return summed(graph, at_least(graph, root->in[0], least_square));
    const Node* root = made_by(graph, at_least(graph, id, least_length), ops::Sqrt);
    return root ? summed(graph, root->in[0]) : ValueId::none;
}

ValueId normalised(const Graph& graph, const Node& node) {
    if (node.is(ops::Div)) return measured(graph, node.in[1]) == node.in[0] ? node.in[0] : ValueId::none;
    if (!node.is(ops::Mul)) return ValueId::none;
    for (const size_t i : {size_t{0}, size_t{1}}) {
        const Node* inverse = made_by(graph, node.in[1 - i], ops::Reciprocal);
        if (inverse && measured(graph, inverse->in[0]) == node.in[i]) return node.in[i];
    }
    return ValueId::none;
}

bool fuse(Graph& graph, const Node& node) {
    const ValueId x = normalised(graph, node);
    if (x == ValueId::none || graph.value(x).type.dtype != DType::f32) return false;
    const ValueId y = node.out[0];
    const auto device = device_between(graph, y, x);
    if (!device) return false;
    graph.node(take_over(graph, y, need_op(ops::LpNormalization), {x}, {{"axis", int64_t{-1}}, {"p", int64_t{2}}})).device = *device;
    return true;
}

int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (!graph.node(id).erased && fuse(graph, graph.node(id))) ++changes;
    return changes;
}

}  // namespace

constinit const Pass fuse_lpnorm{"fuse_lpnorm", "recognise LpNormalization as TensorFlow and TFLite have it in its elementary operations",
                                 [](Graph& graph) { return on_every_graph(graph, fuse_in); }, 1e-4f, false};

}  // namespace quern
