#include "formats/onnx/for_onnxruntime.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/qlinear_forms.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/ops/shared/window.h"
#include "libcore/passes/onnx/linear.h"
#include "libcore/passes/shared.h"

namespace quern::onnx_format {
namespace {

bool has_window(const Node& node) {
    return node.is(ops::Conv, ops::ConvInteger, ops::QLinearConv) || node.is(ops::AveragePool, ops::LpPool, ops::MaxPool);
}

bool pads_by_itself(const Node& node) {
    return has_window(node) && node.attrs.contains("auto_pad") && NodeView(node).text("auto_pad").starts_with("SAME_");
}

// The sides of the window; none where they are not known.
Dims kernel_of(const Graph& graph, const Node& node) {
    if (node.attrs.contains("kernel_shape")) return NodeView(node).integers("kernel_shape");
    const ValueId filter = input_of(node, node.is(ops::QLinearConv) ? 3 : 1);
    const auto dims = filter == ValueId::none ? std::nullopt : graph.value(filter).type.shape.concrete();
    return dims && dims->size() > 2 ? Dims(dims->begin() + 2, dims->end()) : Dims();
}

void spell_pads_of(Graph& graph, Node& node) {
    const Shape& data = graph.value(node.in[0]).type.shape;
    const Dims kernel = kernel_of(graph, node);
    if (!data.ranked || kernel.empty() || data.rank() != kernel.size() + 2) return;
    const Window window = window_of(NodeView(node), std::span(data.dims).subspan(2), kernel);
    Dims pads = window.before;
    pads.insert(pads.end(), window.after.begin(), window.after.end());
    if (std::ranges::any_of(pads, [](int64_t pad) { return pad < 0; })) return;
    for (const char* key : {"auto_pad", "ceil_mode", "pads"}) node.attrs.erase(key);  // the length is that of strides alone
    if (std::ranges::any_of(pads, [](int64_t pad) { return pad > 0; })) node.attrs["pads"] = pads;
}

// Does a Softmax give 1 alone? onnxruntime's operator on codes gives 0 then.
bool is_of_one_element(const Graph& graph, const Node& node) {
    const Shape& shape = graph.value(node.in[0]).type.shape;
    if (!shape.ranked || shape.rank() == 0) return false;
    const int64_t axis = NodeView(node).integer("axis"), rank = static_cast<int64_t>(shape.rank());
    return shape.dims[static_cast<size_t>(axis < 0 ? axis + rank : axis)].value == 1;
}

bool holds_results_of(const Graph& graph, const Node& node, const Node& quantize) {
    const auto encoding = linear_encoding(graph, quantize);
    return !encoding || holds_results(node, *encoding);
}

// The same of nodes of ONNX as is_between_types() says of encoded values.
bool stays_int8(const Graph& graph, ValueId codes) {
    const NodeId producer = graph.value(codes).producer;
    size_t readers = 0;
    for (const Use& use : graph.uses(codes)) {
        if (use.node == NodeId::none) return true;
        readers += graph.node(use.node).is(ops::DequantizeLinear) ? graph.uses(graph.node(use.node).out[0]).size() : 1;
    }
    return readers > 1 || producer == NodeId::none || !graph.node(producer).is(ops::QuantizeLinear);
}

bool is_between_types(const Graph& graph, const Node& softmax, const Node& quantize) {
    if (const auto stated = stated_between_types(softmax)) return *stated;
    const Node* dequantize = made_by(graph, softmax.in[0], ops::DequantizeLinear);
    if (!dequantize || graph.value(quantize.out[0]).type.dtype != DType::i8 || graph.value(dequantize->in[0]).type.dtype != DType::i8)
        return false;
    return stays_int8(graph, dequantize->in[0]) != stays_int8(graph, quantize.out[0]);
}

// A product with more than one matrix, whose columns have scales?
bool has_scales_of_stacks(const Graph& graph, const Node& node) {
    const Node* weights = node.is(ops::MatMul) ? made_by(graph, node.in[1], ops::DequantizeLinear) : nullptr;
    if (!weights) return false;
    const Shape &all = graph.value(node.in[1]).type.shape, &scales = graph.value(weights->in[1]).type.shape;
    return all.ranked && all.rank() > 2 && scales.ranked && scales.rank() > 0;
}

bool is_byte(DType dtype) { return dtype == DType::i8 || dtype == DType::u8; }

bool is_in_blocks(const Node& dequantize) {
    return dequantize.attrs.contains("block_size") && NodeView(dequantize).integer("block_size") > 0;
}

// A product with weights of bytes in blocks, or with data that have more than one scale, as rows of a table have?
bool has_scales_of_its_own(const Graph& graph, const Node& node) {
    if (!node.is(ops::MatMul, ops::Gemm)) return false;
    const Node *data = made_by(graph, node.in[0], ops::DequantizeLinear), *weights = made_by(graph, node.in[1], ops::DequantizeLinear);
    if (data && (is_in_blocks(*data) || graph.value(data->in[1]).type.shape.rank() > 0)) return true;
    return weights && is_in_blocks(*weights) && is_byte(graph.value(weights->in[0]).type.dtype);
}

// The value as a Sum of itself alone: what stands before it is not joined with what stands behind.
ValueId kept_apart(Graph& graph, ValueId id, NodeId before) {
    const std::string name = graph.value(id).name + "_sum";
    const ValueId same = graph.add_value(graph.unique_name(name), graph.value(id).type);
    graph.add_node(need_op(ops::Sum), graph.unique_node_name(name), {id}, {same}, {}, before);
    return same;
}

// Joined with its weights alone it would be refused, too.
void keep_data_apart(Graph& graph, NodeId id) {
    const ValueId data = graph.node(id).in[0];
    if (made_by(graph, data, ops::DequantizeLinear)) graph.node(id).in[0] = kept_apart(graph, data, id);
}

bool is_of_2_bits(DType dtype) { return dtype == DType::i2 || dtype == DType::u2; }

// Weights of 2 bits, real again for a product: with MatMulNBits onnxruntime takes four of a row to share a byte with none of the next one,
// and moves none where they are transposed first.
void keep_2_bits_apart(Graph& graph, NodeId id) {
    const Node& product = graph.node(id);
    if (!product.is(ops::MatMul) && !(product.is(ops::Gemm) && NodeView(product).integer("transB") == 0)) return;
    const Shape& weights = graph.value(product.in[1]).type.shape;
    const bool whole = weights.ranked && weights.rank() == 2 && weights.dims[1].known() && weights.dims[1].value % 4 == 0;
    NodeId reader = id;
    size_t at = 1;
    for (const Node* from = made_by(graph, product.in[1], ops::Transpose); from; from = made_by(graph, from->in[0], ops::Transpose)) {
        reader = graph.value(from->out[0]).producer;
        at = 0;
    }
    const ValueId real = graph.node(reader).in[at];
    const Node* made = made_by(graph, real, ops::DequantizeLinear);
    if (!made || !is_of_2_bits(graph.value(made->in[0]).type.dtype)) return;
    const bool on_codes = made_by(graph, product.in[0], ops::DequantizeLinear) != nullptr;  // of which it makes a product of codes
    if (whole && reader == id && !on_codes) return;
    graph.node(reader).in[at] = kept_apart(graph, real, reader);
}

// Does the optimizer set a DequantizeLinear of its own behind a reader of `real`, which it first gives each of them? It does behind what
// moves elements, as the Reshape that it makes of a product of more than two dims with a bias.
bool is_dequantized_behind(const Graph& graph, ValueId real, const Use& read) {
    if (read.node == NodeId::none || read.index != 0) return false;
    const Node& reader = graph.node(read.node);
    const std::vector<Use> next = graph.uses(reader.out[0]);
    const auto reads = [&](const Use& use, OpId op) {  // com.microsoft's, too
        return use.node != NodeId::none && graph.node(use.node).op->name == need_op(op)->name;
    };
    if (reader.is(ops::MatMul)) {
        const Shape& data = graph.value(real).type.shape;
        return data.ranked && data.rank() > 2 && next.size() == 1 && reads(next[0], ops::Add);
    }
    return reader.is(ops::Reshape, ops::Transpose, ops::Squeeze, ops::Unsqueeze, ops::MaxPool) &&
           std::ranges::none_of(next, [&](const Use& use) { return reads(use, ops::QuantizeLinear); });
}

bool is_dequantized_later(const Graph& graph, ValueId real) {
    return std::ranges::any_of(graph.uses(real), [&](const Use& read) { return is_dequantized_behind(graph, real, read); });
}

// A new value that the node makes instead of result `i`, which is to be made of it.
ValueId before_result(Graph& graph, NodeId id, size_t i, Shape shape) {
    const Value& result = graph.value(graph.node(id).out[i]);
    const ValueId made = graph.add_value(graph.unique_name(result.name + "_made"), Type::tensor(result.type.dtype, std::move(shape)));
    graph.node(id).out[i] = made;
    graph.value(made).producer = id;
    return made;
}

Shape permuted(const Shape& shape, const Dims& order) {
    Shape out = shape;
    for (size_t i = 0; shape.ranked && i < order.size(); ++i) out.dims[i] = shape.dims.at(static_cast<size_t>(order[i]));
    return out;
}

void put_steps_first_of(Graph& graph, NodeId id) {
    using namespace recurrent_operands;
    const Dims swapped{1, 0, 2};
    graph.node(id).attrs.erase("layout");
    for (const size_t i : {size_t{0}, hidden_at, cell_at}) {
        const ValueId given = input_of(graph.node(id), i);
        if (given == ValueId::none) continue;
        const Value from = graph.value(given);
        const ValueId turned = graph.add_value(graph.unique_name(from.name + "_steps_first"),
                                               Type::tensor(from.type.dtype, permuted(from.type.shape, swapped)));
        graph.add_node(need_op(ops::Transpose), graph.unique_node_name(from.name + "_steps_first"), {given}, {turned}, {{"perm", swapped}},
                       id);
        graph.node(id).in[i] = turned;
    }
    for (size_t i = 0; i < graph.node(id).out.size(); ++i) {
        const ValueId wanted = graph.node(id).out[i];
        if (wanted == ValueId::none) continue;
        // Results of all steps are [batch, steps, directions, hidden], made as [steps, directions, batch, hidden].
        const ValueId made = before_result(graph, id, i, permuted(graph.value(wanted).type.shape, i == 0 ? Dims{1, 2, 0, 3} : swapped));
        graph.add_node(need_op(ops::Transpose), graph.unique_node_name(graph.value(wanted).name + "_batch_first"), {made}, {wanted},
                       {{"perm", i == 0 ? Dims{2, 0, 1, 3} : swapped}});
    }
}

}  // namespace

void spell_pads(Graph& graph) {
    for (const NodeId id : graph.order())
        if (pads_by_itself(graph.node(id))) spell_pads_of(graph, graph.node(id));
}

bool pads_beside_dilations(const Node& node) {
    return pads_by_itself(node) && std::ranges::any_of(NodeView(node).integers("dilations"), [](int64_t step) { return step != 1; });
}

void keep_off_codes(Graph& graph) {
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const Node& node = graph.node(id);
        const bool softmax = node.is(ops::Softmax), trusted = softmax && !is_of_one_element(graph, node);
        if (has_scales_of_stacks(graph, node) || has_scales_of_its_own(graph, node)) keep_data_apart(graph, id);
        keep_2_bits_apart(graph, id);
        if (!has_qlinear_operator(*node.op) || (qlinear_form_of(node) && !softmax)) continue;
        const ValueId made = node.out[0];
        std::vector<NodeId> readers;
        for (const Use& use : graph.uses(made))
            if (use.node != NodeId::none && use.index == 0 && graph.node(use.node).is(ops::QuantizeLinear) &&
                is_byte(graph.value(graph.node(use.node).out[0]).type.dtype) &&
                !(trusted && holds_results_of(graph, node, graph.node(use.node)) && !is_between_types(graph, node, graph.node(use.node))))
                readers.push_back(use.node);
        if (readers.empty()) continue;
        const ValueId same = kept_apart(graph, made, readers.front());
        for (const NodeId reader : readers) graph.node(reader).in[0] = same;
    }
    for (const NodeId id : graph.order())
        if (graph.node(id).is(ops::Softmax)) graph.node(id).attrs.erase(between_types_key);
    graph.sort();
}

void name_no_bytes(Graph& graph) {
    std::vector<NodeId> found;
    for (const NodeId id : graph.order())
        if (const Node& node = graph.node(id); node.is(ops::DequantizeLinear) && !is_in_blocks(node) &&
                                               graph.value(node.in[0]).type.dtype == DType::i8 && is_dequantized_later(graph, node.out[0]))
            found.push_back(id);
    for (const NodeId id : found) {
        Node& dequantize = graph.node(id);
        dequantize.op = unknown_op(dequantize.op->name, "com.microsoft", 1);
        const NodeId before = graph.value(dequantize.in[0]).producer;
        if (before == NodeId::none || !graph.node(before).is(ops::QuantizeLinear)) continue;
        graph.node(before).op = unknown_op(graph.node(before).op->name, "com.microsoft", 1);
        graph.node(before).attrs.erase("output_dtype");
    }
}

void keep_outputs_made(Graph& graph) {
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        if (!graph.node(id).is(ops::Conv) || graph.value(graph.node(id).in[1]).constant()) continue;
        const ValueId result = graph.node(id).out[0];
        if (!graph.is_output(result)) continue;
        std::vector<Use> readers;
        for (const Use& use : graph.uses(result))
            if (use.node != NodeId::none) readers.push_back(use);
        if (readers.size() != 1 || !graph.node(readers[0].node).is(ops::Add)) continue;
        const ValueId made = before_result(graph, id, 0, graph.value(result).type.shape);
        graph.node(readers[0].node).in[readers[0].index] = made;
        graph.add_node(need_op(ops::Identity), graph.unique_node_name(graph.value(result).name + "_output"), {made}, {result});
    }
    graph.sort();
}

void put_steps_first(Graph& graph) {
    for (const NodeId id : std::vector<NodeId>(graph.order()))
        if (graph.node(id).is(ops::LSTM, ops::GRU, ops::RNN) && NodeView(graph.node(id)).integer("layout") == 1)
            put_steps_first_of(graph, id);
    graph.sort();
}

bool aligns_exact_corners(const Graph& graph, const Node& node) {
    if (!node.is(ops::Resize) || NodeView(node).text("coordinate_transformation_mode") != "align_corners") return false;
    const auto scales = graph.constant(input_of(node, 2));
    const Shape& shape = graph.value(node.in[0]).type.shape;
    if (!scales || scales->count() == 0 || !shape.ranked) return false;
    const auto factors = to_floats(*scales);
    const Dims axes = node.attrs.contains("axes") ? NodeView(node).integers("axes") : Dims();
    for (size_t i = 0; i < factors.size(); ++i) {
        const Dim& dim = shape.dims.at(axes.empty() ? i : normal_axis(axes.at(i), shape.rank()));
        const float size = factors[i] * static_cast<float>(dim.known() ? dim.value : 1);
        if (size != std::floor(size)) return true;
    }
    return false;
}

}  // namespace quern::onnx_format
