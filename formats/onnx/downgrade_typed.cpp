// Older forms that depend on ranks, modes and element types.
#include <array>

#include "formats/onnx/downgrade.h"
#include "libcore/graph/op_ids.h"

namespace quern::onnx_format {
namespace {

const Type& type_of(const Graph& graph, NodeId id, size_t i) { return graph.value(graph.node(id).in.at(i)).type; }

// Before opset 13 these saw the input as a matrix split at `axis`: equal if only the last axis with more than one element is left of
// the split. Otherwise the axis is moved last.
void softmax_13(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    const Type& type = type_of(graph, id, 0);
    if (!type.shape.ranked) throw unsupported("an input without a known rank needs opset 13");
    const size_t rank = type.shape.rank(), axis = normal_axis(NodeView(node).integer("axis"), rank);
    bool last = true;
    for (size_t i = axis + 1; i < rank; ++i) last = last && type.shape.dims[i].value == 1;
    if (last) {
        node.attrs["axis"] = static_cast<int64_t>(axis);
        return;
    }
    std::vector<int64_t> order(rank);
    for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(i);
    std::swap(order[axis], order[rank - 1]);
    Expansion add(graph, id);
    const ValueId turned = add.add(ops::Transpose, {node.in[0]}, {{"perm", order}});
    const ValueId result = add.add(node.op->id(), {turned}, {{"axis", static_cast<int64_t>(rank - 1)}});
    add.finish(ops::Transpose, {result}, {{"perm", order}});
}

void resize_13(Graph& graph, NodeId id, int opset) {
    if (opset < 11) return;
    Node& node = graph.node(id);
    const auto fill = [&](size_t i, const char* what) {
        if (has_input(node, i)) return;
        const ValueId empty = graph.add_constant(node.name + "_" + what, Tensor::make<float>({0}, {}));
        if (graph.node(id).in.size() <= i) graph.node(id).in.resize(i + 1, ValueId::none);
        graph.node(id).in[i] = empty;
    };
    if (NodeView(node).text("coordinate_transformation_mode") == "half_pixel_symmetric")
        throw unsupported("half_pixel_symmetric needs opset 19");
    fill(1, "roi");
    fill(2, "scales");
}

void resize_19(Graph& graph, NodeId id, int) {
    if (NodeView(graph.node(id)).text("coordinate_transformation_mode") == "half_pixel_symmetric")
        throw unsupported("half_pixel_symmetric needs opset 19");
}

void resize_11(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    const NodeView view(node);
    const std::string mode = view.text("mode");
    if (view.text("coordinate_transformation_mode") != "asymmetric" || mode == "cubic" ||
        (mode == "nearest" && view.text("nearest_mode") != "floor"))
        throw unsupported("mode {} with {} coordinates needs opset 11", mode, view.text("coordinate_transformation_mode"));
    if (has_input(node, 3) || !has_input(node, 2)) throw unsupported("sizes need opset 11");
    node.in = {node.in[0], node.in[2]};
    node.attrs = {{"mode", mode}};
}

void dft_20(Graph& graph, NodeId id, int) {
    int64_t axis = -2;
    if (const auto given = take_constant(graph, id, 2, "axis")) axis = to_ints(*given).at(0);
    const Shape& shape = type_of(graph, id, 0).shape;
    if (axis < 0 && !shape.ranked) throw unsupported("an input without a known rank needs opset 20");
    graph.node(id).attrs["axis"] = axis < 0 ? static_cast<int64_t>(normal_axis(axis, shape.rank())) : axis;
}

void grid_sample_20(Graph& graph, NodeId id, int) {
    const std::string mode = NodeView(graph.node(id)).text("mode");
    if (type_of(graph, id, 0).shape.ranked && type_of(graph, id, 0).shape.rank() != 4) throw unsupported("volumes need opset 20");
    if (mode != "nearest") graph.node(id).attrs["mode"] = std::string(mode == "cubic" ? "bicubic" : "bilinear");
}

void roi_align_16(Graph& graph, NodeId id, int) {
    if (NodeView(graph.node(id)).text("coordinate_transformation_mode") != "output_half_pixel")
        throw unsupported("half_pixel needs opset 16");
    graph.node(id).attrs.erase("coordinate_transformation_mode");
}

void reduction_18(Graph& graph, NodeId id, int) {
    const std::string reduction = NodeView(graph.node(id)).text("reduction");
    if (reduction == "max" || reduction == "min") throw unsupported("reduction {} needs opset 18", reduction);
}

// C could not be left out.
void gemm_11(Graph& graph, NodeId id, int) {
    if (has_input(graph.node(id), 2)) return;
    const ValueId zero = Expansion(graph, id).number(type_of(graph, id, 0).dtype, 0);
    graph.node(id).in.resize(3, ValueId::none);
    graph.node(id).in[2] = zero;
}

// 16-, 4- and 2-bit codes came with opset 21; com.microsoft has the same operators for them.
bool wide_codes(DType codes) { return bits_of(codes) < 8 || codes == DType::i16 || codes == DType::u16; }

void dequantize_21(Graph& graph, NodeId id, int opset) {
    Node& node = graph.node(id);
    const Type& type = type_of(graph, id, 0);
    if (wide_codes(type.dtype)) node.op = unknown_op(node.op->name, "com.microsoft", 1);
    if (opset < 13) node.attrs.erase("axis");
}

void quantize_21(Graph& graph, NodeId id, int opset) {
    Node& node = graph.node(id);
    const DType codes = graph.value(node.out.at(0)).type.dtype;
    if (!has_input(node, 2) && codes != DType::u8) {
        if (codes == DType::none) throw unsupported("output_dtype needs opset 21");
        const auto dims = type_of(graph, id, 1).shape.concrete();
        if (!dims) throw unsupported("a scale without a known shape needs opset 21");
        const std::vector<int64_t> zeros(static_cast<size_t>(count_of(*dims)));
        const ValueId zero = graph.add_constant(node.name + "_zero_point", from_ints(codes, *dims, zeros));
        graph.node(id).in.resize(3, ValueId::none);
        graph.node(id).in[2] = zero;
    }
    node.attrs.erase("output_dtype");
    if (wide_codes(codes)) node.op = unknown_op(node.op->name, "com.microsoft", 1);
    if (opset < 13) node.attrs.erase("axis");
}

void per_tensor_13(Graph& graph, NodeId id, int) {
    const Shape& scale = type_of(graph, id, 1).shape;
    if (!scale.ranked || (scale.rank() > 0 && !(scale.rank() == 1 && scale.dims[0].value == 1)))
        throw unsupported("a scale per channel needs opset 13");
}

constexpr std::array downgrade_typed_table{
    Downgrade{ops::DFT, 20, dft_20},
    Downgrade{ops::DequantizeLinear, 13, per_tensor_13},
    Downgrade{ops::DequantizeLinear, 21, dequantize_21},
    Downgrade{ops::Gemm, 11, gemm_11},
    Downgrade{ops::GridSample, 20, grid_sample_20},
    Downgrade{ops::Hardmax, 13, softmax_13},
    Downgrade{ops::LogSoftmax, 13, softmax_13},
    Downgrade{ops::QuantizeLinear, 13, per_tensor_13},
    Downgrade{ops::QuantizeLinear, 21, quantize_21},
    Downgrade{ops::Resize, 19, resize_19},
    Downgrade{ops::Resize, 13, resize_13},
    Downgrade{ops::Resize, 11, resize_11},
    Downgrade{ops::RoiAlign, 16, roi_align_16},
    Downgrade{ops::ScatterElements, 18, reduction_18},
    Downgrade{ops::ScatterND, 18, reduction_18},
    Downgrade{ops::Softmax, 13, softmax_13},
};

}  // namespace

std::span<const Downgrade> typed_downgrades() { return downgrade_typed_table; }

}  // namespace quern::onnx_format
