#include "formats/onnx/for_onnxruntime.h"

#include <algorithm>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/qlinear_forms.h"
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

// Does a QuantizeLinear reach as far as all results of a Softmax? Beyond its greatest number onnxruntime's operator on codes wraps around.
bool holds_one(const Graph& graph, const Node& quantize) {
    const auto encoding = linear_encoding(graph, quantize);
    if (!encoding || !encoding->per_tensor()) return true;
    return static_cast<float>(encoding->qmax - encoding->zero_at()) * to_floats(encoding->scale)[0] > 0.99f;
}

bool is_byte(DType dtype) { return dtype == DType::i8 || dtype == DType::u8; }

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
        const bool softmax = node.is(ops::Softmax);
        if (!has_qlinear_operator(*node.op) || (qlinear_form_of(node) && !softmax)) continue;
        const ValueId made = node.out[0];
        const std::string name = graph.value(made).name;
        std::vector<NodeId> readers;
        for (const Use& use : graph.uses(made))
            if (use.node != NodeId::none && use.index == 0 && graph.node(use.node).is(ops::QuantizeLinear) &&
                is_byte(graph.value(graph.node(use.node).out[0]).type.dtype) && !(softmax && holds_one(graph, graph.node(use.node))))
                readers.push_back(use.node);
        if (readers.empty()) continue;
        const ValueId same = graph.add_value(graph.unique_name(name + "_sum"), graph.value(made).type);
        graph.add_node(need_op(ops::Sum), graph.unique_node_name(name + "_sum"), {made}, {same}, {}, readers.front());
        for (const NodeId reader : readers) graph.node(reader).in[0] = same;
    }
    graph.sort();
}

}  // namespace quern::onnx_format
