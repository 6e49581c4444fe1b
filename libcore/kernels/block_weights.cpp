#include "libcore/kernels/block_weights.h"

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

bool in_blocks(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    return value.constant() && value.enc && value.enc->format;
}

bool is_plain_f32(const Value& value) { return value.type.dtype == DType::f32 && !value.enc; }

}  // namespace

bool reads_blocks(const Graph& graph, const Node& node) {
    return (node.is(ops::MatMul) && in_blocks(graph, node.in[1])) || (node.is(ops::Gather) && in_blocks(graph, node.in[0]));
}

std::string_view blocks_obstacle(const Graph& graph, const Node& node) {
    const bool product = node.is(ops::MatMul);
    const Value& weights = graph.value(node.in[product ? 1 : 0]);
    const auto dims = weights.type.shape.concrete();
    const size_t max = product ? 3 : 2;
    if (!dims || dims->size() < 2 || dims->size() > max || count_of(*dims) <= 0) return "the blocks are not those of a matrix";
    if (weights.enc->real != DType::f32 || !is_plain_f32(graph.value(node.out[0]))) return "its result is not float32";
    const Shape& data = graph.value(node.in[0]).type.shape;
    if (product && dims->size() == 3 && (!data.ranked || data.rank() < 2)) return "its data are not matrices";
    if (product)
        return weights.enc->axis + 2 != static_cast<int>(dims->size()) ? "the blocks are not along the depth"
               : !is_plain_f32(graph.value(node.in[0]))                ? "its data are not float32"
                                                                       : "";
    if (weights.enc->axis != 1) return "the blocks are not along the rows";
    const int64_t axis = NodeView(node).integer("axis");
    return axis == 0 || axis == -2 ? "" : "takes other slices than rows";
}

}  // namespace quern
