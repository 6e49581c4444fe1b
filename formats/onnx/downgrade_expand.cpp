// Operators that older opsets lack, written with older ones: the definitions that the standard itself gives of them.
#include <array>
#include <cmath>

#include "formats/onnx/downgrade.h"
#include "libcore/graph/op_ids.h"

namespace quern::onnx_format {
namespace {

ValueId input(const Graph& graph, NodeId id, size_t i) { return graph.node(id).in.at(i); }
DType dtype_of_input(const Graph& graph, NodeId id, size_t i = 0) { return graph.value(input(graph, id, i)).type.dtype; }

void gelu(Graph& graph, NodeId id, int) {
    const ValueId x = input(graph, id, 0);
    const DType t = dtype_of_input(graph, id);
    const bool tanh = NodeView(graph.node(id)).text("approximate") == "tanh";
    Expansion add(graph, id);
    ValueId inner;
    if (tanh) {
        const ValueId square = add.add(ops::Mul, {x, x}), cube = add.add(ops::Mul, {square, x});
        const ValueId sum = add.add(ops::Add, {x, add.add(ops::Mul, {cube, add.number(t, 0.044715)})});
        inner = add.add(ops::Tanh, {add.add(ops::Mul, {sum, add.number(t, std::sqrt(2.0 / 3.14159265358979323846))})});
    } else {
        inner = add.add(ops::Erf, {add.add(ops::Div, {x, add.number(t, std::sqrt(2.0))})});
    }
    const ValueId one = add.add(ops::Add, {inner, add.number(t, 1)});
    const ValueId half = add.add(ops::Mul, {x, add.number(t, 0.5)});
    add.finish(ops::Mul, {half, one});
}

void hard_swish(Graph& graph, NodeId id, int) {
    const ValueId x = input(graph, id, 0);
    Expansion add(graph, id);
    const ValueId gate = add.add(ops::HardSigmoid, {x}, {{"alpha", 1.0f / 6.0f}, {"beta", 0.5f}});
    add.finish(ops::Mul, {x, gate});
}

void mish(Graph& graph, NodeId id, int) {
    const ValueId x = input(graph, id, 0);
    Expansion add(graph, id);
    add.finish(ops::Mul, {x, add.add(ops::Tanh, {add.add(ops::Softplus, {x})})});
}

void swish(Graph& graph, NodeId id, int) {
    const ValueId x = input(graph, id, 0);
    const DType t = dtype_of_input(graph, id);
    const float alpha = NodeView(graph.node(id)).real("alpha");
    Expansion add(graph, id);
    const ValueId scaled = alpha == 1 ? x : add.add(ops::Mul, {x, add.number(t, static_cast<double>(alpha))});
    add.finish(ops::Mul, {x, add.add(ops::Sigmoid, {scaled})});
}

void not_of(Graph& graph, NodeId id, OpId op) {
    Expansion add(graph, id);
    const ValueId opposite = add.add(op, {input(graph, id, 0), input(graph, id, 1)});
    add.finish(ops::Not, {opposite});
}

// a >= b is not (a < b), except for NaN, where both are false.
void need_no_nan(const Graph& graph, NodeId id) {
    if (is_float(dtype_of_input(graph, id))) throw unsupported("of floats needs opset 12");
}
void greater_or_equal(Graph& graph, NodeId id, int) {
    need_no_nan(graph, id);
    not_of(graph, id, ops::Less);
}
void less_or_equal(Graph& graph, NodeId id, int) {
    need_no_nan(graph, id);
    not_of(graph, id, ops::Greater);
}

void shape_15(Graph& graph, NodeId id, int) {
    const NodeView view(graph.node(id));
    const int64_t start = view.has("start") ? view.integer("start") : 0;
    const bool open = !view.has("end");
    if (start == 0 && open) {
        graph.node(id).attrs.erase("start");
        return;
    }
    const int64_t end = open ? INT64_MAX : view.integer("end");
    Expansion add(graph, id);
    const ValueId all = add.add(ops::Shape, {input(graph, id, 0)});
    add.finish(ops::Slice, {all, add.integers({start}, "starts"), add.integers({end}, "ends"), add.integers({0}, "axes")});
}

// The axes from `axis` to the last, which need the rank unless there is one only.
std::vector<int64_t> trailing_axes(const Graph& graph, NodeId id) {
    const NodeView view(graph.node(id));
    const int64_t axis = view.integer("axis");
    if (axis == -1) return {-1};
    const Shape& shape = graph.value(input(graph, id, 0)).type.shape;
    if (!shape.ranked) throw unsupported("of an input without a known rank");
    std::vector<int64_t> axes;
    for (size_t i = normal_axis(axis, shape.rank()); i < shape.rank(); ++i) axes.push_back(static_cast<int64_t>(i));
    return axes;
}

DType stash_of(const Graph& graph, NodeId id) {
    const auto stash = dtype_of_onnx(static_cast<int>(NodeView(graph.node(id)).integer("stash_type")));
    return stash.value_or(DType::f32);
}

// x / sqrt(mean(x^2) + epsilon), in the stash type.
ValueId normalized(Expansion& add, ValueId x, DType t, ValueId axes, float epsilon) {
    const ValueId mean = add.add(ops::ReduceMean, {add.add(ops::Mul, {x, x}), axes}, {{"keepdims", int64_t{1}}});
    const ValueId sum = add.add(ops::Add, {mean, add.number(t, static_cast<double>(epsilon))});
    return add.add(ops::Div, {x, add.add(ops::Sqrt, {sum})});
}

void layer_norm(Graph& graph, NodeId id, int) {
    const Node& node = graph.node(id);
    for (size_t i = 1; i < node.out.size(); ++i)
        if (node.out[i] != ValueId::none) throw unsupported("its mean and deviation outputs need opset 17");
    const DType t = dtype_of_input(graph, id), stash = stash_of(graph, id);
    const auto axes_list = trailing_axes(graph, id);
    const float epsilon = NodeView(node).real("epsilon");
    const ValueId scale = node.in.at(1), bias = has_input(node, 2) ? node.in[2] : ValueId::none;
    Expansion add(graph, id);
    const ValueId x = add.cast(input(graph, id, 0), stash), axes = add.integers(axes_list, "axes");
    const ValueId centred = add.add(ops::Sub, {x, add.add(ops::ReduceMean, {x, axes}, {{"keepdims", int64_t{1}}})});
    const ValueId unit = add.cast(normalized(add, centred, stash, axes, epsilon), t);
    if (bias == ValueId::none) {
        add.finish(ops::Mul, {unit, scale});
        return;
    }
    add.finish(ops::Add, {add.add(ops::Mul, {unit, scale}), bias});
}

void rms_norm(Graph& graph, NodeId id, int) {
    const DType t = dtype_of_input(graph, id), stash = stash_of(graph, id);
    const auto axes_list = trailing_axes(graph, id);
    const float epsilon = NodeView(graph.node(id)).real("epsilon");
    const ValueId scale = input(graph, id, 1);
    Expansion add(graph, id);
    const ValueId x = add.cast(input(graph, id, 0), stash);
    const ValueId unit = add.cast(normalized(add, x, stash, add.integers(axes_list, "axes"), epsilon), t);
    add.finish(ops::Mul, {unit, scale});
}

// Each group is one channel of an InstanceNormalization.
void group_norm(Graph& graph, NodeId id, int) {
    const Node& node = graph.node(id);
    const DType t = dtype_of_input(graph, id);
    const ValueId x = node.in.at(0), scale = node.in.at(1), bias = node.in.at(2);
    const Shape& shape = graph.value(x).type.shape;
    if (!shape.ranked) throw unsupported("of an input without a known rank needs opset 21");
    const NodeView view(node);
    const int64_t groups = view.integer("num_groups");
    if (groups <= 0 || groups > (1 << 20)) throw bad_input("{} groups", groups);
    const float epsilon = view.real("epsilon");
    std::vector<int64_t> spatial;
    for (size_t i = 2; i < shape.rank(); ++i) spatial.push_back(static_cast<int64_t>(i) - 1);
    const std::vector<double> ones(static_cast<size_t>(groups), 1), zeros(static_cast<size_t>(groups), 0);
    Expansion add(graph, id);
    const ValueId one = add.constant(from_doubles(t, {groups}, ones), "ones");
    const ValueId zero = add.constant(from_doubles(t, {groups}, zeros), "zeros");
    const ValueId dims = add.add(ops::Shape, {x});
    const ValueId grouped = add.add(ops::Reshape, {x, add.integers({0, groups, -1}, "grouped")});
    const ValueId unit = add.add(ops::InstanceNormalization, {grouped, one, zero}, {{"epsilon", epsilon}});
    const ValueId back = add.add(ops::Reshape, {unit, dims});
    const auto column = [&](ValueId v) { return spatial.empty() ? v : add.add(ops::Unsqueeze, {v, add.integers(spatial, "spatial")}); };
    const ValueId scaled = add.add(ops::Mul, {back, column(scale)});
    add.finish(ops::Add, {scaled, column(bias)});
}

// The norm over all places: a Reduce has it for the first two powers.
void global_lp_pool(Graph& graph, NodeId id, int) {
    const ValueId x = input(graph, id, 0);
    const DType t = dtype_of_input(graph, id);
    const Shape& shape = graph.value(x).type.shape;
    if (!shape.ranked) throw unsupported("of an input without a known rank");
    const int64_t power = NodeView(graph.node(id)).integer("p");
    std::vector<int64_t> places;
    for (size_t i = 2; i < shape.rank(); ++i) places.push_back(static_cast<int64_t>(i));
    Expansion add(graph, id);
    const ValueId axes = add.integers(places, "axes");
    if (power == 1 || power == 2) return add.finish(power == 1 ? ops::ReduceL1 : ops::ReduceL2, {x, axes});
    const auto real = static_cast<double>(power);
    const ValueId powers = add.add(ops::Pow, {add.add(ops::Abs, {x}), add.number(t, real)});
    add.finish(ops::Pow, {add.add(ops::ReduceSum, {powers, axes}), add.number(t, 1 / real)});
}

constexpr std::array downgrade_expand_table{
    Downgrade{ops::Gelu, 20, gelu},
    Downgrade{ops::GlobalLpPool, 1, global_lp_pool},  // in every opset: for take_apart()
    Downgrade{ops::GreaterOrEqual, 12, greater_or_equal},
    Downgrade{ops::GroupNormalization, 21, group_norm},
    Downgrade{ops::HardSwish, 14, hard_swish},
    Downgrade{ops::LayerNormalization, 17, layer_norm},
    Downgrade{ops::LessOrEqual, 12, less_or_equal},
    Downgrade{ops::Mish, 18, mish},
    Downgrade{ops::RMSNormalization, 23, rms_norm},
    Downgrade{ops::Shape, 15, shape_15},
    Downgrade{ops::Swish, 24, swish},
};

}  // namespace

std::span<const Downgrade> expansions() { return downgrade_expand_table; }

}  // namespace quern::onnx_format
