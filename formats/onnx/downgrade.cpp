#include "formats/onnx/downgrade.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/onnx/upgrade.h"
#include "formats/onnx/versions.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"

namespace quern::onnx_format {
namespace {

// An attribute that came with opset `since`: before, only `fallback` can be said, by leaving it out. "ones": a list of ones.
struct NewAttribute {
    OpId op;
    std::string_view name;
    int since;
    std::string_view fallback;
};

constexpr std::array new_attributes{
    NewAttribute{ops::ArgMax, "select_last_index", 12, "0"},
    NewAttribute{ops::ArgMin, "select_last_index", 12, "0"},
    NewAttribute{ops::Attention, "left_window_size", 25, "-1"},
    NewAttribute{ops::Attention, "right_window_size", 25, "-1"},
    NewAttribute{ops::AveragePool, "ceil_mode", 10, "0"},
    NewAttribute{ops::AveragePool, "dilations", 19, "ones"},
    NewAttribute{ops::BatchNormalization, "training_mode", 14, "0"},
    NewAttribute{ops::Cast, "saturate", 19, "1"},
    NewAttribute{ops::Cast, "round_mode", 24, "up"},
    NewAttribute{ops::CastLike, "saturate", 19, "1"},
    NewAttribute{ops::CastLike, "round_mode", 24, "up"},
    NewAttribute{ops::DepthToSpace, "mode", 11, "DCR"},
    NewAttribute{ops::SpaceToDepth, "mode", 28, "DCR"},
    NewAttribute{ops::DequantizeLinear, "block_size", 21, "0"},
    NewAttribute{ops::DequantizeLinear, "output_dtype", 23, "0"},
    NewAttribute{ops::Dropout, "seed", 12, "0"},
    NewAttribute{ops::GRU, "layout", 14, "0"},
    NewAttribute{ops::LSTM, "layout", 14, "0"},
    NewAttribute{ops::RNN, "layout", 14, "0"},
    NewAttribute{ops::GatherND, "batch_dims", 12, "0"},
    NewAttribute{ops::GroupNormalization, "stash_type", 21, "1"},
    NewAttribute{ops::LpPool, "ceil_mode", 18, "0"},
    NewAttribute{ops::LpPool, "dilations", 18, "ones"},
    NewAttribute{ops::MaxPool, "storage_order", 8, "0"},
    NewAttribute{ops::MaxPool, "ceil_mode", 10, "0"},
    NewAttribute{ops::MaxPool, "dilations", 10, "ones"},
    NewAttribute{ops::QuantizeLinear, "saturate", 19, "1"},
    NewAttribute{ops::QuantizeLinear, "block_size", 21, "0"},
    NewAttribute{ops::QuantizeLinear, "precision", 23, "0"},
    NewAttribute{ops::Range, "stash_type", 27, "1"},
    NewAttribute{ops::Reshape, "allowzero", 14, "0"},
    NewAttribute{ops::Resize, "antialias", 18, "0"},
    NewAttribute{ops::Resize, "axes", 18, "none"},
    NewAttribute{ops::Resize, "keep_aspect_ratio_policy", 18, "stretch"},
    NewAttribute{ops::ScatterElements, "reduction", 16, "none"},
    NewAttribute{ops::ScatterND, "reduction", 16, "none"},
    NewAttribute{ops::TopK, "largest", 11, "1"},
    NewAttribute{ops::TopK, "sorted", 11, "1"},
};

bool says(const Attr& attr, std::string_view fallback) {
    if (const auto* number = std::get_if<int64_t>(&attr)) return std::to_string(*number) == fallback;
    if (const auto* text = std::get_if<std::string>(&attr)) return *text == fallback;
    if (const auto* items = std::get_if<std::vector<int64_t>>(&attr))
        return fallback == "ones" && std::all_of(items->begin(), items->end(), [](int64_t item) { return item == 1; });
    return false;
}

void drop_new_attributes(Node& node, int opset) {
    for (const NewAttribute& row : new_attributes) {
        if (row.op.name != node.op->name || opset >= row.since) continue;
        const auto found = node.attrs.find(row.name);
        if (found == node.attrs.end()) continue;
        if (!says(found->second, row.fallback)) throw unsupported("attribute \"{}\" needs opset {}", row.name, row.since);
        node.attrs.erase(found);
    }
}

// Before opset 11 axes counted from the front only.
void count_axes_from_front(const Graph& graph, Node& node) {
    if (!node.is(ops::ArgMax, ops::ArgMin, ops::Compress, ops::Concat, ops::Flatten, ops::Gather, ops::Hardmax, ops::LogSoftmax,
                 ops::ReduceL1, ops::ReduceL2, ops::ReduceLogSum, ops::ReduceLogSumExp, ops::ReduceMax, ops::ReduceMean, ops::ReduceMin,
                 ops::ReduceProd, ops::ReduceSum, ops::ReduceSumSquare, ops::Softmax, ops::Split, ops::Squeeze, ops::TopK, ops::Unsqueeze))
        return;
    const ValueId ranked = node.is(ops::Unsqueeze) ? node.out.at(0) : node.in.at(0);
    if (ranked == ValueId::none) return;
    const auto positive = [&](int64_t axis) {
        if (axis >= 0) return axis;
        const Shape& shape = graph.value(ranked).type.shape;
        if (!shape.ranked) throw unsupported("axis {} of a value without a known rank needs opset 11", axis);
        return static_cast<int64_t>(normal_axis(axis, shape.rank()));
    };
    for (auto& [name, attr] : node.attrs) {
        if (auto* axis = std::get_if<int64_t>(&attr); axis && name == "axis") *axis = positive(*axis);
        if (auto* axes = std::get_if<std::vector<int64_t>>(&attr); axes && name == "axes")
            std::transform(axes->begin(), axes->end(), axes->begin(), positive);
    }
    if (node.is(ops::TopK) && !node.attrs.contains("axis")) node.attrs["axis"] = positive(-1);
}

void apply(std::span<const Downgrade> rows, Graph& graph, NodeId id, int opset) {
    const std::string_view name = graph.node(id).op->name;
    for (const Downgrade& row : rows)
        if (row.op.name == name && opset < row.below && !graph.node(id).erased) {
            if (graph.node(id).out.at(0) == ValueId::none) throw unsupported("without its first output");
            row.rewrite(graph, id, opset);
        }
}

// The type of an input on which it depends when an operator takes it: the scale of a DequantizeLinear, else input 0.
DType deciding_type(const Graph& graph, const Node& node) {
    const size_t i = node.is(ops::DequantizeLinear) ? 1 : 0;
    return has_input(node, i) ? graph.value(node.in[i]).type.dtype : DType::none;
}

void check_form(const Graph& graph, const Node& node, int opset) {
    const Op& op = *node.op;
    if (!op.known()) {
        const int form = form_of(op.name, op.version);
        if (op.version == opset || (form != 0 && form == form_of(op.name, opset))) return;
        throw unsupported("is unknown to quern and can only be kept at its own opset").with_hint(fmt::format("--opset {}", op.version));
    }
    const int first = first_opset(op.name);
    if (first == 0) throw unsupported("is not an operator of ONNX");
    if (opset < first) throw unsupported("needs opset {} or newer", first);
    if (const int later = opset_of_operator(graph, node); opset < later)
        throw unsupported("on {} needs opset {} or newer", name_of(deciding_type(graph, node)), later);
}

void each_node(Graph& graph, int opset, std::span<const Downgrade> rows) {
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const Node& node = graph.node(id);
        const auto named = [&node](const Downgrade& row) { return row.op.name == node.op->name; };
        if (!node.op->domain.empty() || !node.op->known() || std::ranges::none_of(rows, named)) continue;
        const std::string place = described(node);  // before it is written anew
        at_place(place, [&] { apply(rows, graph, id, opset); });
    }
}

void check_types(const Graph& graph, int opset) {
    const auto check = [&](ValueId id) {
        if (id == ValueId::none || first_opset(graph.value(id).type.dtype) <= opset) return;
        throw unsupported("value \"{}\" is {}, which opset {} does not have", escape(graph.value(id).name),
                          name_of(graph.value(id).type.dtype), opset);
    };
    for (const ValueId id : graph.inputs) check(id);
    for (const NodeId id : graph.order())
        for (const ValueId out : graph.node(id).out) check(out);
}

}  // namespace

int opset_of_operator(const Graph& graph, const Node& node) {
    return node.op->known() ? first_opset(node.op->name, deciding_type(graph, node)) : node.op->version;
}

int opset_of_attributes(const Node& node) {
    int least = 1;
    for (const NewAttribute& row : new_attributes) {
        if (row.op.name != node.op->name) continue;
        const auto found = node.attrs.find(row.name);
        if (found != node.attrs.end() && !says(found->second, row.fallback)) least = std::max(least, row.since);
    }
    return least;
}

std::optional<Tensor> take_constant(Graph& graph, NodeId id, size_t i, std::string_view what) {
    Node& node = graph.node(id);
    if (!has_input(node, i)) return std::nullopt;
    const ValueId value = node.in[i];
    auto tensor = graph.constant(value);
    if (!tensor) throw unsupported("its {} are computed, this opset needs them constant", what);
    node.in[i] = ValueId::none;
    while (!node.in.empty() && node.in.back() == ValueId::none) node.in.pop_back();
    if (graph.uses(value).empty()) graph.erase(value);
    return tensor;
}

void take_apart(Graph& root, std::span<const OpId> operators) {
    std::vector<Downgrade> rows;
    std::ranges::copy_if(expansions(), std::back_inserter(rows),
                         [&](const Downgrade& row) { return std::ranges::find(operators, row.op) != operators.end(); });
    for_each_graph(root, [&](Graph& graph, const std::string&) { each_node(graph, 0, rows); });
    infer_types(root);
}

void downgrade(Graph& root, int opset) {
    for_each_graph(root, [&](Graph& graph, const std::string&) {
        each_node(graph, opset, expansions());
        each_node(graph, opset, attention_expansions());
        each_node(graph, opset, typed_downgrades());
        each_node(graph, opset, input_downgrades());
        for (const NodeId id : graph.order()) {
            Node& node = graph.node(id);
            if (!node.op->domain.empty()) continue;
            at_node(node, [&] {
                check_form(graph, node, opset);
                drop_new_attributes(node, opset);
                if (opset < 11 && node.op->known()) count_axes_from_front(graph, node);
            });
        }
        check_types(graph, opset);
    });
}

}  // namespace quern::onnx_format
