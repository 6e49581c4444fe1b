// LayerNormalization and RMSNormalization spelled out:
//     d = x - mean(x);  y = d / sqrt(mean(d^2) + eps) [* scale [+ bias]]        and        y = x / sqrt(mean(x^2) + eps) [* scale]
// and as TensorFlow has it, with d in the variance alone:
//     k = 1 / sqrt(mean(d^2) + eps) [* scale];  y = x * k + ([bias] - mean(x) * k)
#include <algorithm>

#include "libcore/graph/device.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// The first of the trailing axes that a reduction covers, with the reduced axes kept; nullopt if it covers others.
std::optional<int64_t> trailing_axis(const Graph& graph, const Node& reduce) {
    if (NodeView(reduce).integer("keepdims") != 1) return std::nullopt;
    auto axes = ints_of(graph, input_of(reduce, 1));
    if (!axes || axes->empty()) return std::nullopt;
    const Shape& shape = graph.value(reduce.in[0]).type.shape;
    if (!shape.ranked) return axes->size() == 1 && (*axes)[0] == -1 ? std::optional<int64_t>(-1) : std::nullopt;
    const auto rank = static_cast<int64_t>(shape.rank());
    for (int64_t& axis : *axes) axis = axis < 0 ? axis + rank : axis;
    std::sort(axes->begin(), axes->end());
    for (size_t i = 0; i < axes->size(); ++i)
        if ((*axes)[i] != rank - static_cast<int64_t>(axes->size() - i)) return std::nullopt;
    return (*axes)[0] - rank;
}

// The base of Mul(a, a) or Pow(a, 2).
ValueId squared(const Graph& graph, ValueId id) {
    if (const Node* mul = made_by(graph, id, ops::Mul); mul && mul->in[0] == mul->in[1]) return mul->in[0];
    if (const Node* pow = made_by(graph, id, ops::Pow); pow && scalar_of(graph, pow->in[1]) == 2.0f) return pow->in[0];
    return ValueId::none;
}

// Add of a value and a constant scalar, either way round.
std::optional<std::pair<ValueId, float>> plus_scalar(const Graph& graph, ValueId id) {
    const Node* add = made_by(graph, id, ops::Add);
    if (!add) return std::nullopt;
    for (const size_t i : {size_t{0}, size_t{1}})
        if (const auto scalar = scalar_of(graph, add->in[i])) return std::pair(add->in[1 - i], *scalar);
    return std::nullopt;
}

// What is certain about r = sqrt(mean(base^2) + eps).
struct Deviation {
    ValueId base;
    int64_t axis;
    float epsilon;
};

std::optional<Deviation> deviation_of(const Graph& graph, ValueId variance_plus) {
    const auto sum = plus_scalar(graph, variance_plus);
    if (!sum) return std::nullopt;
    const Node* mean = made_by(graph, sum->first, ops::ReduceMean);
    if (!mean) return std::nullopt;
    const auto axis = trailing_axis(graph, *mean);
    const ValueId base = squared(graph, mean->in[0]);
    if (!axis || base == ValueId::none) return std::nullopt;
    return Deviation{base, *axis, sum->second};
}

std::optional<Deviation> root_of(const Graph& graph, ValueId id) {
    const Node* sqrt = made_by(graph, id, ops::Sqrt);
    return sqrt ? deviation_of(graph, sqrt->in[0]) : std::nullopt;
}

// 1 / r in its forms: Reciprocal(Sqrt(v)), Div(1, Sqrt(v)), Pow(v, -0.5).
std::optional<Deviation> inverse_of(const Graph& graph, ValueId id) {
    if (const Node* inverse = made_by(graph, id, ops::Reciprocal)) return root_of(graph, inverse->in[0]);
    if (const Node* div = made_by(graph, id, ops::Div); div && scalar_of(graph, div->in[0]) == 1.0f) return root_of(graph, div->in[1]);
    if (const Node* pow = made_by(graph, id, ops::Pow); pow && scalar_of(graph, pow->in[1]) == -0.5f)
        return deviation_of(graph, pow->in[0]);
    return std::nullopt;
}

// base / r: Div(base, Sqrt(v)), Mul(base, 1 / r).
std::optional<Deviation> normalised(const Graph& graph, const Node& node) {
    if (node.is(ops::Div)) {
        const auto found = root_of(graph, node.in[1]);
        return found && found->base == node.in[0] ? found : std::nullopt;
    }
    if (!node.is(ops::Mul)) return std::nullopt;
    for (const size_t i : {size_t{0}, size_t{1}})
        if (const auto found = inverse_of(graph, node.in[i]); found && found->base == node.in[1 - i]) return found;
    return std::nullopt;
}

// The single reader of `id` if it is that operator with a constant of exactly the normalised shape; its result, and the constant.
struct Applied {
    ValueId result = ValueId::none, constant = ValueId::none;
};
Applied applied(const Graph& graph, ValueId id, OpId op, const Shape& tail) {
    const NodeId reader = graph.only_reader(id);
    if (reader == NodeId::none || !graph.node(reader).is(op)) return {};
    const Node& next = graph.node(reader);
    const ValueId other = next.in[next.in[0] == id ? 1 : 0];
    if (other == id || other == ValueId::none || !graph.value(other).constant() || graph.value(other).enc) return {};
    return graph.value(other).type.shape == tail ? Applied{next.out[0], other} : Applied{};
}

// The dims from `axis` (negative) to the last, all known.
std::optional<Shape> tail_of(const Graph& graph, ValueId id, int64_t axis) {
    const Shape& shape = graph.value(id).type.shape;
    if (!shape.ranked || static_cast<int64_t>(shape.rank()) < -axis) return std::nullopt;
    const Shape tail = Shape::of_dims({shape.dims.end() + axis, shape.dims.end()});
    return tail.fixed() ? std::optional(tail) : std::nullopt;
}

// d = x - mean(x) over the same axes: x.
ValueId centred(const Graph& graph, ValueId id, int64_t axis) {
    const Node* sub = made_by(graph, id, ops::Sub);
    if (!sub) return ValueId::none;
    const Node* mean = made_by(graph, sub->in[1], ops::ReduceMean);
    return mean && mean->in[0] == sub->in[0] && trailing_axis(graph, *mean) == axis ? sub->in[0] : ValueId::none;
}

// What is known of a normalization: x, and the constants behind it if there are any.
struct Norm {
    ValueId x = ValueId::none, scale = ValueId::none, bias = ValueId::none, result = ValueId::none;
    int64_t axis = -1;
    float epsilon = 0;
    std::string device;
};

std::optional<Norm> with_centre(const Graph& graph, const Node& node, bool layer) {
    const auto found = normalised(graph, node);
    if (!found) return std::nullopt;
    const ValueId x = centred(graph, found->base, found->axis);
    if (layer != (x != ValueId::none)) return std::nullopt;
    Norm norm{.x = layer ? x : found->base, .result = node.out[0], .axis = found->axis, .epsilon = found->epsilon};
    const auto tail = tail_of(graph, norm.x, norm.axis);
    const auto device = device_between(graph, norm.result, norm.x);
    if (!tail || !device) return std::nullopt;
    norm.device = *device;
    const auto next = [&](OpId op) {
        const Applied found = applied(graph, norm.result, op, *tail);
        const auto wider = found.result == ValueId::none ? std::nullopt : device_between(graph, found.result, norm.x);
        if (!wider) return ValueId{ValueId::none};
        norm.device = *wider;
        norm.result = found.result;
        return found.constant;
    };
    norm.scale = next(ops::Mul);
    if (layer && norm.scale != ValueId::none) norm.bias = next(ops::Add);
    return norm;
}

// The other operand of a product.
ValueId times(const Graph& graph, ValueId product, ValueId factor) {
    const Node* mul = made_by(graph, product, ops::Mul);
    if (!mul || (mul->in[0] != factor && mul->in[1] != factor)) return ValueId::none;
    return mul->in[mul->in[0] == factor ? 1 : 0];
}

// A constant that is a row for the last dims, whatever dims of 1 it has before them.
bool is_tail(const Graph& graph, ValueId id, const Shape& tail) {
    if (!is_plain_constant(graph, id)) return false;
    Dims dims = *graph.value(id).type.shape.concrete();
    while (dims.size() > tail.rank() && dims.front() == 1) dims.erase(dims.begin());
    return Shape::of(dims) == tail;
}

// `id` is [bias] - mean * k: true, and the bias.
bool is_shift(const Graph& graph, ValueId id, ValueId mean, ValueId k, ValueId& bias) {
    const auto negative = [&](ValueId product) {
        const Node* neg = made_by(graph, times(graph, product, k), ops::Neg);
        return neg && neg->in[0] == mean;
    };
    if (negative(id)) return true;
    if (const Node* sub = made_by(graph, id, ops::Sub)) {
        bias = sub->in[0];
        return times(graph, sub->in[1], k) == mean;
    }
    const Node* add = made_by(graph, id, ops::Add);
    for (const size_t i : {size_t{0}, size_t{1}}) {
        if (!add || !negative(add->in[i])) continue;
        bias = add->in[1 - i];
        return true;
    }
    return false;
}

// x * k plus the shift, or less mean * k.
std::optional<Norm> with_shift(const Graph& graph, const Node& node) {
    const bool minus = node.is(ops::Sub);
    if (!minus && !node.is(ops::Add)) return std::nullopt;
    for (const size_t product : {size_t{0}, size_t{1}}) {
        const Node* mul = made_by(graph, node.in[product], ops::Mul);
        if (!mul || (minus && product == 1)) continue;
        for (const size_t factor : {size_t{0}, size_t{1}}) {
            const ValueId k = mul->in[factor];
            Norm norm{.x = mul->in[1 - factor], .result = node.out[0]};
            auto found = inverse_of(graph, k);
            if (const Node* scaled = made_by(graph, k, ops::Mul); scaled && !found) {
                const size_t row = graph.value(scaled->in[0]).constant() ? 0 : 1;
                norm.scale = scaled->in[row];
                found = inverse_of(graph, scaled->in[1 - row]);
            }
            if (!found || norm.x == ValueId::none || centred(graph, found->base, found->axis) != norm.x) continue;
            norm.axis = found->axis;
            norm.epsilon = found->epsilon;
            const ValueId mean = made_by(graph, found->base, ops::Sub)->in[1], shift = node.in[1 - product];
            if (minus ? times(graph, shift, k) != mean : !is_shift(graph, shift, mean, k, norm.bias)) continue;
            const auto tail = tail_of(graph, norm.x, norm.axis);
            const auto row = [&](ValueId id) { return id == ValueId::none || is_tail(graph, id, *tail); };
            const auto device = device_between(graph, norm.result, norm.x);
            if (!tail || !row(norm.scale) || !row(norm.bias) || !device) continue;
            norm.device = *device;
            return norm;
        }
    }
    return std::nullopt;
}

// A row as it is, or with the dims of the tail alone.
ValueId as_tail(Graph& graph, ValueId row, const Shape& tail) {
    if (graph.value(row).type.shape == tail) return row;
    const Tensor given = *graph.constant(row);
    return graph.add_constant(graph.unique_name(graph.value(row).name + "_row"), Tensor{given.dtype, *tail.concrete(), given.data});
}

bool fuse(Graph& graph, const Node& node, bool layer) {
    auto norm = with_centre(graph, node, layer);
    if (!norm && layer) norm = with_shift(graph, node);
    if (!norm || graph.uses(node.out[0]).empty()) return false;
    const DType dtype = graph.value(norm->x).type.dtype;
    if (!is_float(dtype)) return false;
    const Shape tail = *tail_of(graph, norm->x, norm->axis);
    const Dims dims = *tail.concrete();
    const auto rows = [&](std::string_view what, float number) {
        const std::vector<float> all(static_cast<size_t>(count_of(dims)), number);
        return graph.add_constant(fmt::format("{}_{}", graph.value(norm->result).name, what), from_floats(dtype, dims, all));
    };
    std::vector<ValueId> in{norm->x, norm->scale == ValueId::none ? rows("ones", 1) : as_tail(graph, norm->scale, tail)};
    if (norm->bias != ValueId::none) in.push_back(as_tail(graph, norm->bias, tail));
    const std::vector<ValueId> replaced = graph.node(graph.value(norm->result).producer).in;
    const Op* op = need_op(layer ? "LayerNormalization" : "RMSNormalization");
    const NodeId fused = take_over(graph, norm->result, op, std::move(in), {{"axis", norm->axis}, {"epsilon", norm->epsilon}});
    graph.node(fused).device = norm->device;
    for (const ValueId id : replaced) erase_unread(graph, id);
    return true;
}

template <bool layer>
int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (!graph.node(id).erased && fuse(graph, graph.node(id), layer)) ++changes;
    return changes;
}

}  // namespace

constinit const Pass fuse_layernorm{"fuse_layernorm", "recognise LayerNormalization in its elementary operations",
                                    [](Graph& graph) { return on_every_graph(graph, fuse_in<true>); }, 1e-4f};
constinit const Pass fuse_rmsnorm{"fuse_rmsnorm", "recognise RMSNormalization in its elementary operations",
                                  [](Graph& graph) { return on_every_graph(graph, fuse_in<false>); }, 1e-4f};

}  // namespace quern
