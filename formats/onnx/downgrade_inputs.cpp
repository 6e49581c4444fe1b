// Inputs that older opsets have as attributes.
#include <array>

#include "formats/onnx/downgrade.h"
#include "libcore/graph/op_ids.h"

namespace quern::onnx_format {
namespace {

// Input `i`, if there, becomes the integer-list attribute `name`.
void ints_to_attribute(Graph& graph, NodeId id, size_t i, const char* name) {
    if (const auto tensor = take_constant(graph, id, i, name)) graph.node(id).attrs[name] = to_ints(*tensor);
}

void number_to_attribute(Graph& graph, NodeId id, size_t i, const char* name) {
    if (const auto tensor = take_constant(graph, id, i, name)) {
        if (tensor->count() != 1) throw bad_input("its {} has {} elements, need 1", name, tensor->count());
        graph.node(id).attrs[name] = to_floats(*tensor)[0];
    }
}

void axes_to_attribute(Graph& graph, NodeId id, int) { ints_to_attribute(graph, id, 1, "axes"); }

void reduce(Graph& graph, NodeId id, int) {
    const auto axes = take_constant(graph, id, 1, "axes");
    Node& node = graph.node(id);
    const bool noop = NodeView(node).has("noop_with_empty_axes") && NodeView(node).integer("noop_with_empty_axes") != 0;
    node.attrs.erase("noop_with_empty_axes");
    const std::vector<int64_t> items = axes ? to_ints(*axes) : std::vector<int64_t>();
    if (!items.empty()) {
        node.attrs["axes"] = items;
    } else if (noop) {
        if (!node.is(ops::ReduceMax, ops::ReduceMean, ops::ReduceMin, ops::ReduceProd, ops::ReduceSum))
            throw unsupported("without axes to reduce");
        node.attrs.clear();
        node.op = need_op(ops::Identity);
    }
}

void split_18(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    node.attrs.erase("num_outputs");
    if (has_input(node, 1)) return;
    // Equal parts need no list; a shorter last part does.
    const Shape& shape = graph.value(node.in.at(0)).type.shape;
    if (!shape.ranked) return;
    const Dim& dim = shape.dims.at(normal_axis(NodeView(node).integer("axis"), shape.rank()));
    const auto parts = static_cast<int64_t>(node.out.size());
    if (!dim.known() || dim.value % parts == 0) return;
    const int64_t each = (dim.value + parts - 1) / parts;
    std::vector<int64_t> sizes(node.out.size(), each);
    sizes.back() = dim.value - each * (parts - 1);
    node.in.resize(2, ValueId::none);
    const ValueId list = graph.add_constant(node.name + "_split", Tensor::vector<int64_t>(sizes));
    graph.node(id).in[1] = list;
}

void split_13(Graph& graph, NodeId id, int) { ints_to_attribute(graph, id, 1, "split"); }

void pad_18(Graph& graph, NodeId id, int) {
    const auto axes = take_constant(graph, id, 3, "axes");
    if (!axes) return;
    const Shape& shape = graph.value(graph.node(id).in.at(0)).type.shape;
    if (!shape.ranked) throw unsupported("axes of an input without a known rank");
    const auto pads = graph.constant(graph.node(id).in.at(1));
    if (!pads) throw unsupported("its pads are computed, this opset needs them constant");
    const auto at = to_ints(*axes), given = to_ints(*pads);
    if (given.size() != 2 * at.size()) throw bad_input("{} pads for {} axes", given.size(), at.size());
    std::vector<int64_t> all(2 * shape.rank());
    for (size_t i = 0; i < at.size(); ++i) {
        const size_t axis = normal_axis(at[i], shape.rank());
        all[axis] = given[i];
        all[shape.rank() + axis] = given[at.size() + i];
    }
    const ValueId list = graph.add_constant(graph.node(id).name + "_pads", Tensor::vector<int64_t>(all));
    graph.node(id).in[1] = list;
}

void pad_19(Graph& graph, NodeId id, int) {
    if (NodeView(graph.node(id)).text("mode") == "wrap") throw unsupported("mode wrap needs opset 19");
}

void pad_11(Graph& graph, NodeId id, int) {
    number_to_attribute(graph, id, 2, "value");
    ints_to_attribute(graph, id, 1, "pads");
}

void slice_10(Graph& graph, NodeId id, int) {
    if (const auto steps = take_constant(graph, id, 4, "steps"))
        for (const int64_t step : to_ints(*steps))
            if (step != 1) throw unsupported("a step of {} needs opset 10", step);
    ints_to_attribute(graph, id, 3, "axes");
    ints_to_attribute(graph, id, 2, "ends");
    ints_to_attribute(graph, id, 1, "starts");
}

void clip_11(Graph& graph, NodeId id, int) {
    number_to_attribute(graph, id, 2, "max");
    number_to_attribute(graph, id, 1, "min");
}

void top_k_10(Graph& graph, NodeId id, int) {
    if (const auto k = take_constant(graph, id, 1, "k")) graph.node(id).attrs["k"] = to_ints(*k).at(0);
}

void dropout_12(Graph& graph, NodeId id, int) {
    if (const auto training = take_constant(graph, id, 2, "training mode"); training && to_ints(*training).at(0) != 0)
        throw unsupported("training needs opset 12");
    number_to_attribute(graph, id, 1, "ratio");
}

constexpr std::array downgrade_inputs_table{
    Downgrade{ops::Clip, 11, clip_11},
    Downgrade{ops::Dropout, 12, dropout_12},
    Downgrade{ops::Pad, 19, pad_19},
    Downgrade{ops::Pad, 18, pad_18},
    Downgrade{ops::Pad, 11, pad_11},
    Downgrade{ops::ReduceL1, 18, reduce},
    Downgrade{ops::ReduceL2, 18, reduce},
    Downgrade{ops::ReduceLogSum, 18, reduce},
    Downgrade{ops::ReduceLogSumExp, 18, reduce},
    Downgrade{ops::ReduceMax, 18, reduce},
    Downgrade{ops::ReduceMean, 18, reduce},
    Downgrade{ops::ReduceMin, 18, reduce},
    Downgrade{ops::ReduceProd, 18, reduce},
    Downgrade{ops::ReduceSum, 13, reduce},
    Downgrade{ops::ReduceSumSquare, 18, reduce},
    Downgrade{ops::Slice, 10, slice_10},
    Downgrade{ops::Split, 18, split_18},
    Downgrade{ops::Split, 13, split_13},
    Downgrade{ops::Squeeze, 13, axes_to_attribute},
    Downgrade{ops::TopK, 10, top_k_10},
    Downgrade{ops::Unsqueeze, 13, axes_to_attribute},
};

}  // namespace

std::span<const Downgrade> input_downgrades() { return downgrade_inputs_table; }

}  // namespace quern::onnx_format
