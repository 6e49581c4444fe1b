// What add_minima makes, back as an encoding.
#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/recognise/block_tables.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// The only node that reads `id` if it is that operator, with `id` as its first operand.
NodeId read_by(const Graph& graph, ValueId id, OpId op) {
    const NodeId reader = graph.only_reader(id);
    const bool right = reader != NodeId::none && graph.node(reader).is(op) && graph.node(reader).in[0] == id;
    return right && !graph.is_output(id) ? reader : NodeId::none;
}

bool shapes_to(const Graph& graph, NodeId reshape, const Dims& dims) {
    const auto found = ints_of(graph, graph.node(reshape).in[1]);
    return found && std::ranges::equal(*found, dims);
}

// A constant in blocks whose Reshape to blocks, Add of a minimum for each and Reshape back are all that reads it.
bool fold_minimum(Graph& graph, ValueId scaled) {
    const auto& enc = graph.value(scaled).enc;
    if (!graph.value(scaled).constant() || !enc || enc->block <= 0 || enc->format || enc->min.defined() || !enc->symmetric()) return false;
    const Dims dims = *graph.value(scaled).type.shape.concrete();
    const auto axis = static_cast<size_t>(enc->axis);
    if (dims[axis] % enc->block != 0) return false;
    Dims apart = dims, of_minima = dims;
    apart[axis] = of_minima[axis] = dims[axis] / enc->block;
    const auto behind = static_cast<std::ptrdiff_t>(axis) + 1;
    apart.insert(apart.begin() + behind, enc->block);
    of_minima.insert(of_minima.begin() + behind, 1);

    const NodeId split = read_by(graph, scaled, ops::Reshape);
    if (split == NodeId::none || !shapes_to(graph, split, apart)) return false;
    const NodeId sum = read_by(graph, graph.node(split).out[0], ops::Add);
    if (sum == NodeId::none || !is_plain_constant(graph, graph.node(sum).in[1])) return false;
    Tensor min = *graph.constant(graph.node(sum).in[1]);
    const NodeId join = read_by(graph, graph.node(sum).out[0], ops::Reshape);
    if (min.dims != of_minima || join == NodeId::none || !shapes_to(graph, join, dims)) return false;

    min.dims = enc->scale.dims;
    Encoding whole = *enc;
    whole.zero = {};
    whole.min = min;
    const ValueId to = graph.node(join).out[0];
    for (const NodeId id : {join, sum, split}) graph.erase(id);
    Value& value = graph.value(to);
    value.type = graph.value(scaled).type;
    value.data = *graph.value(scaled).data;
    value.enc = std::move(whole);
    return true;
}

}  // namespace

int fold_minima(Graph& graph) {
    int changes = 0;
    for (size_t i = 0, all = graph.value_count(); i < all; ++i)
        if (const auto id = static_cast<ValueId>(i); !graph.value(id).erased && fold_minimum(graph, id)) ++changes;
    return changes;
}

}  // namespace quern
