#include "formats/onnx/upgrade.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"

namespace quern::onnx_format {
namespace {

template <class T>
std::optional<T> take(Node& node, std::string_view name) {
    const auto found = node.attrs.find(name);
    if (found == node.attrs.end()) return std::nullopt;
    const T* item = std::get_if<T>(&found->second);
    if (!item) throw bad_input("attribute \"{}\" has the wrong type", name);
    T value = *item;
    node.attrs.erase(found);
    return value;
}

using Ints = std::vector<int64_t>;

void set_input(Graph& graph, NodeId id, size_t index, std::string_view what, const Tensor& tensor) {
    const ValueId value = graph.add_constant(graph.node(id).name + "_" + std::string(what), tensor);
    Node& node = graph.node(id);
    if (node.in.size() <= index) node.in.resize(index + 1, ValueId::none);
    node.in[index] = value;
}

void drop(Graph& graph, NodeId id, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (const auto found = graph.node(id).attrs.find(name); found != graph.node(id).attrs.end()) graph.node(id).attrs.erase(found);
}

// An integer-list attribute becomes input `index`.
template <size_t index>
void axes_to_input(Graph& graph, NodeId id, int) {
    if (const auto axes = take<Ints>(graph.node(id), "axes")) set_input(graph, id, index, "axes", Tensor::vector<int64_t>(*axes));
}

void slice_1(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    const auto starts = take<Ints>(node, "starts"), ends = take<Ints>(node, "ends"), axes = take<Ints>(node, "axes");
    if (!starts || !ends) throw bad_input("has no starts or ends");
    set_input(graph, id, 1, "starts", Tensor::vector<int64_t>(*starts));
    set_input(graph, id, 2, "ends", Tensor::vector<int64_t>(*ends));
    if (axes) set_input(graph, id, 3, "axes", Tensor::vector<int64_t>(*axes));
}

// A number attribute of the type of input 0 is a float constant until that type is known.
void number_input(Graph& graph, NodeId id, size_t index, std::string_view name, float value) {
    const ValueId x = graph.node(id).in.at(0);
    const DType dtype = x == ValueId::none ? DType::none : graph.value(x).type.dtype;
    set_input(graph, id, index, name, from_floats(dtype == DType::none ? DType::f32 : dtype, {}, std::array{value}));
}

void pad_1(Graph& graph, NodeId id, int version) {
    Node& node = graph.node(id);
    auto pads = take<Ints>(node, version < 2 ? "paddings" : "pads");
    if (!pads) pads = take<Ints>(node, "pads");
    if (!pads) throw bad_input("has no pads");
    const auto value = take<float>(node, "value");
    set_input(graph, id, 1, "pads", Tensor::vector<int64_t>(*pads));
    if (value && *value != 0) number_input(graph, id, 2, "value", *value);
}

void clip_1(Graph& graph, NodeId id, int) {
    const auto low = take<float>(graph.node(id), "min"), high = take<float>(graph.node(id), "max");
    if (low) number_input(graph, id, 1, "min", *low);
    if (high) number_input(graph, id, 2, "max", *high);
}

void top_k_1(Graph& graph, NodeId id, int) {
    const auto k = take<int64_t>(graph.node(id), "k");
    if (!k) throw bad_input("has no k");
    set_input(graph, id, 1, "k", Tensor::vector<int64_t>(Ints{*k}));
}

void split_2(Graph& graph, NodeId id, int) {
    if (const auto split = take<Ints>(graph.node(id), "split")) set_input(graph, id, 1, "split", Tensor::vector<int64_t>(*split));
}

// Since 18 the number of parts is an attribute; before, it was the number of outputs.
void split_13(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    if (node.in.size() < 2 || node.in[1] == ValueId::none) node.attrs["num_outputs"] = static_cast<int64_t>(node.out.size());
}

void reshape_1(Graph& graph, NodeId id, int) {
    drop(graph, id, {"consumed_inputs"});
    if (const auto shape = take<Ints>(graph.node(id), "shape")) set_input(graph, id, 1, "shape", Tensor::vector<int64_t>(*shape));
}

void cast_1(Graph& graph, NodeId id, int) {
    const auto found = graph.node(id).attrs.find("to");
    const auto* text = found == graph.node(id).attrs.end() ? nullptr : std::get_if<std::string>(&found->second);
    if (!text) return;
    std::string name = *text;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name == "float") name = "float32";
    if (name == "double") name = "float64";
    const auto dtype = dtype_named(name);
    if (!dtype) throw bad_input("casts to unknown type \"{}\"", escape(*text));
    graph.node(id).attrs["to"] = static_cast<int64_t>(row_of(*dtype).onnx);
}

void dropout_1(Graph& graph, NodeId id, int) {
    drop(graph, id, {"is_test", "consumed_inputs"});
    if (const auto ratio = take<float>(graph.node(id), "ratio")) set_input(graph, id, 1, "ratio", Tensor::scalar(*ratio));
}

void concat_1(Graph& graph, NodeId id, int) { graph.node(id).attrs.try_emplace("axis", int64_t{1}); }

void drop_legacy(Graph& graph, NodeId id, int) { drop(graph, id, {"consumed_inputs"}); }

void batch_norm_1(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    drop(graph, id, {"consumed_inputs", "is_test"});
    if (const auto spatial = take<int64_t>(node, "spatial"); spatial && *spatial != 1) throw unsupported("spatial = 0");
    // The further outputs were training's running statistics.
    for (size_t i = 1; i < node.out.size(); ++i)
        if (node.out[i] != ValueId::none) graph.value(node.out[i]).producer = NodeId::none;
    if (node.out.size() > 1) node.out.resize(1);
}

void recurrent_1(Graph& graph, NodeId id, int) { drop(graph, id, {"output_sequence"}); }

void asymmetric_resize(Graph& graph, NodeId id) {
    Node& node = graph.node(id);
    node.attrs["coordinate_transformation_mode"] = std::string("asymmetric");
    node.attrs["nearest_mode"] = std::string("floor");
    if (const auto mode = take<std::string>(node, "mode")) node.attrs["mode"] = *mode == "bilinear" ? "linear" : *mode;
    if (node.in.size() == 2) node.in.insert(node.in.begin() + 1, ValueId::none);
}

void upsample_1(Graph& graph, NodeId id, int version) {
    Node& node = graph.node(id);
    node.op = need_op(ops::Resize);
    if (version < 7) {
        const auto height = take<float>(node, "height_scale"), width = take<float>(node, "width_scale");
        if (!height || !width) throw bad_input("has no height_scale or width_scale");
        set_input(graph, id, 1, "scales", Tensor::vector<float>(std::array<float, 4>{1, 1, *height, *width}));
    } else if (const auto scales = take<std::vector<float>>(node, "scales")) {
        set_input(graph, id, 1, "scales", Tensor::vector<float>(*scales));
    }
    asymmetric_resize(graph, id);
}

// Exporters fill optional inputs that they do not use with empty tensors.
void resize_empty(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    for (size_t i = 1; i < node.in.size(); ++i)
        if (node.in[i] != ValueId::none && graph.value(node.in[i]).constant() && graph.value(node.in[i]).data->empty())
            node.in[i] = ValueId::none;
    while (!node.in.empty() && node.in.back() == ValueId::none) node.in.pop_back();
}

void grid_sample_16(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    if (const auto mode = take<std::string>(node, "mode"))
        node.attrs["mode"] = *mode == "bilinear" ? "linear" : *mode == "bicubic" ? "cubic" : *mode;
}

void roi_align_10(Graph& graph, NodeId id, int) {
    graph.node(id).attrs["coordinate_transformation_mode"] = std::string("output_half_pixel");
}

// The exponent was a real number.
void lp_pool_1(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    const auto found = node.attrs.find("p");
    const float* p = found == node.attrs.end() ? nullptr : std::get_if<float>(&found->second);
    if (!p) return;
    if (!(*p >= 1 && *p <= 1024) || *p != std::floor(*p)) throw unsupported("an exponent of {}", *p);
    found->second = static_cast<int64_t>(*p);
}

void tile_1(Graph&, NodeId, int) { throw unsupported("tiles of one axis"); }

void resize_10(Graph& graph, NodeId id, int) { asymmetric_resize(graph, id); }

void scatter_9(Graph& graph, NodeId id, int) { graph.node(id).op = need_op(ops::ScatterElements); }

void dft_17(Graph& graph, NodeId id, int) {
    const auto axis = take<int64_t>(graph.node(id), "axis");
    set_input(graph, id, 2, "axis", Tensor::scalar<int64_t>(axis.value_or(1)));
}

void selu_1(Graph& graph, NodeId id, int) {
    drop_legacy(graph, id, 0);
    graph.node(id).attrs.try_emplace("alpha", 1.6732f);
    graph.node(id).attrs.try_emplace("gamma", 1.0507f);
}

// Opset 8 has a batch in front of every input: a Scan over the batch whose body is the Scan over the sequence.
void scan_8(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    if (node.in[0] != ValueId::none) throw unsupported("input sequence_lens of opset 8");
    if (node.bodies.size() != 1) throw bad_input("has no body");
    node.in.erase(node.in.begin());
    const auto scans = take<int64_t>(node, "num_scan_inputs");
    if (!scans || *scans < 1) throw bad_input("has no num_scan_inputs");
    Graph outer;
    const auto pieces = [&](const std::vector<ValueId>& of, std::vector<ValueId>& to) {
        for (const ValueId whole : of) {
            if (whole == ValueId::none) throw bad_input("lacks an input or output");
            to.push_back(outer.add_value(outer.unique_name(graph.value(whole).name + "_item"), Type{}));
        }
    };
    pieces(node.in, outer.inputs);
    pieces(node.out, outer.outputs);
    const NodeId inner = outer.add_node(node.op, node.name + "_sequence", outer.inputs, outer.outputs, {{"num_scan_inputs", *scans}});
    if (auto directions = take<Ints>(node, "directions")) outer.node(inner).attrs["scan_input_directions"] = std::move(*directions);
    outer.node(inner).body_names = node.body_names;
    outer.node(inner).bodies.swap(node.bodies);  // the body stays where it is: others may point to it
    outer.holds_bodies(inner);
    for (Graph::Capture& capture : outer.node(inner).bodies[0].captures) {
        const Value& source = graph.value(capture.outer);
        const ValueId between = outer.add_value(outer.unique_name(source.name), source.type);
        outer.captures.push_back({between, capture.outer});
        capture.outer = between;
    }
    node.attrs["num_scan_inputs"] = static_cast<int64_t>(node.in.size());
    node.bodies.push_back(std::move(outer));
}

// Operators that ONNX took back.
namespace retired {
constexpr OpId Scatter{"Scatter", ""}, Upsample{"Upsample", ""};
}

constexpr std::array attribute_rows{
    Upgrade{ops::BatchNormalization, 14, batch_norm_1},
    Upgrade{ops::Cast, 6, cast_1},
    Upgrade{ops::Clip, 6, drop_legacy},
    Upgrade{ops::Clip, 11, clip_1},
    Upgrade{ops::Concat, 4, concat_1},
    Upgrade{ops::DFT, 20, dft_17},
    Upgrade{ops::Dropout, 12, dropout_1},
    Upgrade{ops::GRU, 7, recurrent_1},
    Upgrade{ops::GlobalLpPool, 2, lp_pool_1},
    Upgrade{ops::GridSample, 20, grid_sample_16},
    Upgrade{ops::LSTM, 7, recurrent_1},
    Upgrade{ops::LpPool, 2, lp_pool_1},
    Upgrade{ops::Pad, 11, pad_1},
    Upgrade{ops::RNN, 7, recurrent_1},
    Upgrade{ops::ReduceL1, 18, axes_to_input<1>},
    Upgrade{ops::ReduceL2, 18, axes_to_input<1>},
    Upgrade{ops::ReduceLogSum, 18, axes_to_input<1>},
    Upgrade{ops::ReduceLogSumExp, 18, axes_to_input<1>},
    Upgrade{ops::ReduceMax, 18, axes_to_input<1>},
    Upgrade{ops::ReduceMean, 18, axes_to_input<1>},
    Upgrade{ops::ReduceMin, 18, axes_to_input<1>},
    Upgrade{ops::ReduceProd, 18, axes_to_input<1>},
    Upgrade{ops::ReduceSum, 13, axes_to_input<1>},
    Upgrade{ops::ReduceSumSquare, 18, axes_to_input<1>},
    Upgrade{ops::Reshape, 5, reshape_1},
    Upgrade{ops::Resize, 11, resize_10},
    Upgrade{ops::Resize, newest_opset + 1, resize_empty},
    Upgrade{ops::RoiAlign, 16, roi_align_10},
    Upgrade{ops::Scan, 9, scan_8},
    Upgrade{retired::Scatter, 11, scatter_9},
    Upgrade{ops::Selu, 6, selu_1},
    Upgrade{ops::Slice, 10, slice_1},
    Upgrade{ops::Split, 13, split_2},
    Upgrade{ops::Split, 18, split_13},
    Upgrade{ops::Squeeze, 13, axes_to_input<1>},
    Upgrade{ops::Tile, 6, tile_1},
    Upgrade{ops::TopK, 10, top_k_1},
    Upgrade{ops::Unsqueeze, 13, axes_to_input<1>},
    Upgrade{retired::Upsample, 10, upsample_1},
};

}  // namespace

std::span<const Upgrade> attribute_upgrades() { return attribute_rows; }

void upgrade(std::span<const Upgrade> rows, Graph& graph, NodeId id, int version) {
    const Node& node = graph.node(id);
    if (!node.op->domain.empty()) return;
    if (version < 6 && node.op->known()) drop(graph, id, {"consumed_inputs"});
    if (version < 7 && node.op->known()) drop(graph, id, {"broadcast"});  // "axis" says the rest
    const std::string_view name = node.op->name;                          // a rewrite may change the operator
    for (const Upgrade& row : rows)
        if (row.op.name == name && version < row.until)
            at_place(fmt::format("node \"{}\" ({}, opset {})", escape(node.name), name, version), [&] {
                // Nothing has been verified yet; every operator that has rows has a first input, only Scan's is optional, and output.
                if (node.in.empty() || (node.in[0] == ValueId::none && name != ops::Scan.name)) throw bad_input("has no first input");
                if (node.out.empty() || node.out[0] == ValueId::none) throw bad_input("has no first output");
                row.rewrite(graph, id, version);
            });
}

}  // namespace quern::onnx_format
