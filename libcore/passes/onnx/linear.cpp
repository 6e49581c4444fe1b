#include "libcore/passes/onnx/linear.h"

#include <algorithm>

#include "libcore/graph/grid.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// A scale for each slice of a dim of 1 is one number, too: the node says which is meant.
bool is_sliced_once(const Graph& graph, const NodeView& view, ValueId codes, const Tensor& scale) {
    if (!view.has("axis") || scale.dims != Dims{1} || !graph.value(codes).constant()) return false;
    const auto dims = graph.value(codes).type.shape.concrete();
    const int64_t axis = view.integer("axis"), rank = dims ? static_cast<int64_t>(dims->size()) : 0;
    return axis < rank && axis >= -rank && (*dims)[static_cast<size_t>(axis < 0 ? axis + rank : axis)] == 1;
}

// Scale and offset of a Q or DQ node; the offset is undefined where the node has none.
struct Parameters {
    Tensor scale, offset;
};

// None: they are not plain constants, or do not fit the codes. Codes that are floats have no offset but 0, and saturate.
std::optional<Parameters> parameters_of(const Graph& graph, const Node& node, DType storage) {
    const auto plain = [&](ValueId id) { return id != ValueId::none && graph.value(id).constant() && !graph.value(id).enc; };
    const ValueId zero = input_of(node, 2);
    if (!plain(node.in[1]) || (zero != ValueId::none && !plain(zero))) return std::nullopt;
    Parameters found{*graph.constant(node.in[1]), zero == ValueId::none ? Tensor() : *graph.constant(zero)};
    if (found.scale.dtype != DType::f32 || (found.offset.defined() && found.offset.dtype != storage)) return std::nullopt;
    if (!is_float(storage)) return found;
    const NodeView view(node);
    if (found.offset.defined() && std::ranges::any_of(to_floats(found.offset), [](float x) { return x != 0; })) return std::nullopt;
    if (is_quantize(node) && view.has("saturate") && view.integer("saturate") == 0) return std::nullopt;
    found.offset = Tensor();
    return found;
}

// The encoding between `codes` and the real value of a Q or DQ node, if its parameters are constants that an encoding can say.
std::optional<Encoding> encoding_of(const Graph& graph, const Node& node, ValueId codes, ValueId real) {
    const DType storage = graph.value(codes).type.dtype;
    if (!is_scaled(storage) || graph.value(real).type.dtype != DType::f32) return std::nullopt;
    auto found = parameters_of(graph, node, storage);
    if (!found) return std::nullopt;
    auto& [scale, offset] = *found;
    const NodeView view(node);
    const int64_t block = view.has("block_size") ? std::max<int64_t>(view.integer("block_size"), 0) : 0;
    int axis = -1;
    if (scale.count() == 1 && block == 0 && !is_sliced_once(graph, view, codes, scale)) {
        scale.dims.clear();
        if (offset.defined()) offset.dims.clear();
    } else {
        const Shape& shape = graph.value(codes).type.shape;
        if (!shape.ranked) return std::nullopt;
        axis = static_cast<int>(normal_axis(view.has("axis") ? view.integer("axis") : 1, shape.rank()));
    }
    if (!offset.defined() && is_integer(storage))
        offset = from_ints(storage, scale.dims, std::vector<int64_t>(static_cast<size_t>(scale.count()), 0));
    Encoding encoding = make_encoding(storage, std::move(scale), std::move(offset), axis);
    encoding.block = block;
    return encoding;
}

}  // namespace

bool is_quantize(const Node& node) { return node.is(ops::QuantizeLinear, ops::microsoft::QuantizeLinear); }
bool is_dequantize(const Node& node) { return node.is(ops::DequantizeLinear, ops::microsoft::DequantizeLinear); }

std::optional<Encoding> linear_encoding(const Graph& graph, const Node& node) {
    return is_quantize(node) ? encoding_of(graph, node, node.out[0], node.in[0]) : encoding_of(graph, node, node.in[0], node.out[0]);
}

}  // namespace quern
