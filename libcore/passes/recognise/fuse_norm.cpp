// LayerNormalization and RMSNormalization spelled out:
//     d = x - mean(x);  y = d / sqrt(mean(d^2) + eps) [* scale [+ bias]]        and        y = x / sqrt(mean(x^2) + eps) [* scale]
// and as TensorFlow has it, with d in the variance alone:
//     k = 1 / sqrt(mean(d^2) + eps) [* scale];  y = x * k + ([bias] - mean(x) * k)
// and as Flax has it, with sums for means and the variance of two:
//     k = 1 / sqrt(max(0, mean(x^2) - mean(x)^2) + eps) [* scale];  y = d * k [+ bias]
#include <algorithm>

#include "libcore/graph/device.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/expansion.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

using Axes = std::vector<int64_t>;  // in ascending order, each less than the rank

// The axes that a reduction covers; nullopt if they are not certain.
std::optional<Axes> axes_of(const Graph& graph, const Node& reduce) {
    auto axes = ints_of(graph, input_of(reduce, 1));
    const Shape& shape = graph.value(reduce.in[0]).type.shape;
    if (!axes || axes->empty() || !shape.ranked) return std::nullopt;
    const auto rank = static_cast<int64_t>(shape.rank());
    for (int64_t& axis : *axes) axis = axis < 0 ? axis + rank : axis;
    std::ranges::sort(*axes);
    const bool each_once = axes->front() >= 0 && axes->back() < rank && std::ranges::adjacent_find(*axes) == axes->end();
    return each_once ? axes : std::nullopt;
}

// The dims of a ranked value along these axes, all known.
std::optional<Dims> dims_along(const Graph& graph, ValueId id, const Axes& axes) {
    Dims dims;
    for (const int64_t axis : axes) dims.push_back(graph.value(id).type.shape.dims[static_cast<size_t>(axis)].value);
    return std::ranges::all_of(dims, [](int64_t dim) { return dim >= 0; }) ? std::optional(dims) : std::nullopt;
}

// A number for each row of `x`: the dims of x, with 1 along these axes.
bool is_of_rows(const Graph& graph, ValueId id, ValueId x, const Axes& axes) {
    Shape rows = graph.value(x).type.shape;
    for (const int64_t axis : axes) rows.dims[static_cast<size_t>(axis)] = Dim::of(1);
    const Shape& shape = graph.value(id).type.shape;
    return shape.ranked && std::ranges::equal(rows.dims, shape.dims, same);
}

// What is the same numbers in other dims.
ValueId as_given(const Graph& graph, ValueId id) {
    const Node* node = made_by(graph, id, ops::Reshape);
    if (!node) node = made_by(graph, id, ops::Unsqueeze);
    return node ? as_given(graph, node->in[0]) : id;
}

// The mean of a value over some of its dims: ReduceMean, or ReduceSum by a number.
struct Mean {
    ValueId of;
    Axes axes;
};

// `id` is a product of a number, or divided by it: the other operand, and the factor.
std::optional<std::pair<ValueId, float>> times_scalar(const Graph& graph, ValueId id) {
    if (const Node* div = made_by(graph, id, ops::Div)) {
        const auto divisor = scalar_of(graph, div->in[1]);
        return divisor ? std::optional(std::pair(div->in[0], 1 / *divisor)) : std::nullopt;
    }
    const Node* mul = made_by(graph, id, ops::Mul);
    for (const size_t i : {size_t{0}, size_t{1}}) {
        const auto factor = mul ? scalar_of(graph, mul->in[i]) : std::nullopt;
        if (factor) return std::pair(mul->in[1 - i], *factor);
    }
    return std::nullopt;
}

std::optional<Mean> reduced_mean(const Graph& graph, ValueId id) {
    const Node* mean = made_by(graph, id, ops::ReduceMean);
    const auto scaled = mean ? std::nullopt : times_scalar(graph, id);
    const Node* reduce = scaled ? made_by(graph, as_given(graph, scaled->first), ops::ReduceSum) : mean;
    auto axes = reduce ? axes_of(graph, *reduce) : std::nullopt;
    if (!axes) return std::nullopt;
    const auto dims = dims_along(graph, reduce->in[0], *axes);
    const bool whole = !scaled || (dims && std::abs(scaled->second * static_cast<float>(count_of(*dims)) - 1) < 1e-6f);
    return whole ? std::optional(Mean{reduce->in[0], *std::move(axes)}) : std::nullopt;
}

// The same, by the numbers alone: their dims may be any.
std::optional<Mean> mean_in_any_dims(const Graph& graph, ValueId id) { return reduced_mean(graph, as_given(graph, id)); }

// The same, with a number for each row.
std::optional<Mean> mean_of(const Graph& graph, ValueId id) {
    const Node* mean = made_by(graph, id, ops::ReduceMean);
    const auto found = mean_in_any_dims(graph, id);
    const bool kept = mean && NodeView(*mean).integer("keepdims") == 1;
    return found && (kept || is_of_rows(graph, id, found->of, found->axes)) ? found : std::nullopt;
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

// What is certain about r = sqrt(mean(base^2) + eps), or r = sqrt(mean(x^2) - mean(x)^2 + eps): then there is no base.
struct Deviation {
    ValueId base, x;
    Axes axes;
    float epsilon;
};

// What Max(0, id), in any dims, is of.
ValueId not_negative(const Graph& graph, ValueId id) {
    id = as_given(graph, id);
    if (const Node* relu = made_by(graph, id, ops::Relu)) return as_given(graph, relu->in[0]);
    const Node* max = made_by(graph, id, ops::Max);
    if (!max || max->in.size() != 2) return id;
    for (const size_t i : {size_t{0}, size_t{1}})
        if (scalar_of(graph, max->in[i]) == 0.0f) return as_given(graph, max->in[1 - i]);
    return id;
}

// mean(x^2) - mean(x)^2, with each mean for each row: x.
std::optional<Mean> variance_of_two(const Graph& graph, ValueId id) {
    const Node* sub = made_by(graph, not_negative(graph, id), ops::Sub);
    if (!sub || graph.value(sub->in[0]).type.shape != graph.value(sub->in[1]).type.shape) return std::nullopt;
    const auto of_squares = mean_in_any_dims(graph, sub->in[0]);
    const auto mean = mean_in_any_dims(graph, squared(graph, as_given(graph, sub->in[1])));
    const bool same = of_squares && mean && of_squares->axes == mean->axes && squared(graph, of_squares->of) == mean->of;
    return same && is_of_rows(graph, id, mean->of, mean->axes) ? mean : std::nullopt;
}

std::optional<Deviation> deviation_of(const Graph& graph, ValueId variance_plus) {
    const auto sum = plus_scalar(graph, variance_plus);
    if (!sum) return std::nullopt;
    if (const auto mean = mean_of(graph, sum->first)) {
        const ValueId base = squared(graph, mean->of);
        return base == ValueId::none ? std::nullopt : std::optional(Deviation{base, ValueId::none, mean->axes, sum->second});
    }
    const auto two = variance_of_two(graph, sum->first);
    return two ? std::optional(Deviation{ValueId::none, two->of, two->axes, sum->second}) : std::nullopt;
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

// d = x - mean(x) over the same axes: x.
ValueId centred(const Graph& graph, ValueId id, const Axes& axes) {
    const Node* sub = made_by(graph, id, ops::Sub);
    const auto mean = sub ? mean_of(graph, sub->in[1]) : std::nullopt;
    return mean && mean->of == sub->in[0] && mean->axes == axes ? sub->in[0] : ValueId::none;
}

// Whether the deviation is that of `id`: its base, or x less its mean.
bool is_base(const Graph& graph, ValueId id, const Deviation& r) {
    return id == r.base || (r.x != ValueId::none && centred(graph, id, r.axes) == r.x);
}

// k = 1 / r [* scale], where the scale is a constant.
struct Factor {
    Deviation r;
    ValueId scale = ValueId::none;
};

std::optional<Factor> factor_of(const Graph& graph, ValueId k) {
    if (const auto r = inverse_of(graph, k)) return Factor{*r};
    const Node* scaled = made_by(graph, k, ops::Mul);
    if (!scaled) return std::nullopt;
    const size_t row = graph.value(scaled->in[0]).constant() ? 0 : 1;
    const auto r = inverse_of(graph, scaled->in[1 - row]);
    return r ? std::optional(Factor{*r, scaled->in[row]}) : std::nullopt;
}

// base / r [* scale]: Div(base, Sqrt(v)), Mul(base, k); and the base.
struct Normalised {
    Factor by;
    ValueId base;
};

std::optional<Normalised> normalised(const Graph& graph, const Node& node) {
    if (node.is(ops::Div)) {
        const auto r = root_of(graph, node.in[1]);
        return r && is_base(graph, node.in[0], *r) ? std::optional(Normalised{{*r}, node.in[0]}) : std::nullopt;
    }
    if (!node.is(ops::Mul)) return std::nullopt;
    for (const size_t i : {size_t{0}, size_t{1}})
        if (const auto by = factor_of(graph, node.in[i]); by && is_base(graph, node.in[1 - i], by->r))
            return Normalised{*by, node.in[1 - i]};
    return std::nullopt;
}

// A constant that has a number for each of those along these axes of a value, and is the same along all others.
bool is_along(const Graph& graph, ValueId id, ValueId of, const Axes& axes) {
    if (id == ValueId::none || !graph.value(id).constant() || graph.value(id).enc) return false;
    const Shape& shape = graph.value(of).type.shape;
    Dims dims = *graph.value(id).type.shape.concrete(), want(shape.rank(), 1);
    if (dims.size() > want.size()) return false;
    dims.insert(dims.begin(), want.size() - dims.size(), 1);
    for (const int64_t axis : axes) want[static_cast<size_t>(axis)] = shape.dims[static_cast<size_t>(axis)].value;
    return dims == want;
}

// The single reader of `id` if it is that operator with a constant along these axes; its result, and the constant.
struct Applied {
    ValueId result = ValueId::none, constant = ValueId::none;
};
Applied applied(const Graph& graph, ValueId id, OpId op, ValueId x, const Axes& axes) {
    const NodeId reader = graph.only_reader(id);
    if (reader == NodeId::none || !graph.node(reader).is(op)) return {};
    const Node& next = graph.node(reader);
    const ValueId other = next.in[next.in[0] == id ? 1 : 0];
    return other != id && is_along(graph, other, x, axes) ? Applied{next.out[0], other} : Applied{};
}

// What is known of a normalization: x, and the constants behind it if there are any.
struct Norm {
    ValueId x = ValueId::none, scale = ValueId::none, bias = ValueId::none, result = ValueId::none;
    Axes axes;
    float epsilon = 0;
    std::string device;
};

std::optional<Norm> with_centre(const Graph& graph, const Node& node, bool layer) {
    const auto found = normalised(graph, node);
    if (!found) return std::nullopt;
    const auto& [r, scale] = found->by;
    const ValueId x = centred(graph, found->base, r.axes);
    if (layer != (x != ValueId::none)) return std::nullopt;
    Norm norm{.x = layer ? x : found->base, .scale = scale, .result = node.out[0], .axes = r.axes, .epsilon = r.epsilon};
    const auto device = device_between(graph, norm.result, norm.x);
    if (!device || !dims_along(graph, norm.x, norm.axes)) return std::nullopt;
    if (scale != ValueId::none && !is_along(graph, scale, norm.x, norm.axes)) return std::nullopt;
    norm.device = *device;
    const auto next = [&](OpId op) {
        const Applied found = applied(graph, norm.result, op, norm.x, norm.axes);
        const auto wider = found.result == ValueId::none ? std::nullopt : device_between(graph, found.result, norm.x);
        if (!wider) return ValueId{ValueId::none};
        norm.device = *wider;
        norm.result = found.result;
        return found.constant;
    };
    if (scale == ValueId::none) norm.scale = next(ops::Mul);
    if (layer && norm.scale != ValueId::none) norm.bias = next(ops::Add);
    return norm;
}

// The other operand of a product.
ValueId times(const Graph& graph, ValueId product, ValueId factor) {
    const Node* mul = made_by(graph, product, ops::Mul);
    if (!mul || (mul->in[0] != factor && mul->in[1] != factor)) return ValueId::none;
    return mul->in[mul->in[0] == factor ? 1 : 0];
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
            const auto found = factor_of(graph, k);
            if (!found || norm.x == ValueId::none || centred(graph, found->r.base, found->r.axes) != norm.x) continue;
            norm.scale = found->scale;
            norm.axes = found->r.axes;
            norm.epsilon = found->r.epsilon;
            const ValueId mean = made_by(graph, found->r.base, ops::Sub)->in[1], shift = node.in[1 - product];
            if (minus ? times(graph, shift, k) != mean : !is_shift(graph, shift, mean, k, norm.bias)) continue;
            const auto row = [&](ValueId id) { return id == ValueId::none || is_along(graph, id, norm.x, norm.axes); };
            const auto device = device_between(graph, norm.result, norm.x);
            if (!dims_along(graph, norm.x, norm.axes) || !row(norm.scale) || !row(norm.bias) || !device) continue;
            norm.device = *device;
            return norm;
        }
    }
    return std::nullopt;
}

// A row as it is, or with the dims that are normalised alone.
ValueId in_dims(Graph& graph, ValueId row, const Dims& dims) {
    if (graph.value(row).type.shape == Shape::of(dims)) return row;
    const Tensor given = *graph.constant(row);
    return graph.add_constant(graph.unique_name(graph.value(row).name + "_row"), Tensor{given.dtype, dims, given.data});
}

// The order of dims in which those of a norm are the last.
Axes norm_last(const Norm& norm, size_t rank) {
    Axes order;
    for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i)
        if (std::ranges::find(norm.axes, i) == norm.axes.end()) order.push_back(i);
    order.insert(order.end(), norm.axes.begin(), norm.axes.end());
    return order;
}

Axes inverse(const Axes& order) {
    Axes back(order.size());
    for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    return back;
}

// The fused node in place of the one that makes the result; for other dims than the last, x is transposed before it and the result behind
// it.
void put(Graph& graph, const Norm& norm, std::vector<ValueId> in, bool layer) {
    const NodeId replaced = graph.value(norm.result).producer;
    graph.node(replaced).device = norm.device;
    const OpId op = layer ? ops::LayerNormalization : ops::RMSNormalization;
    Attrs attrs{{"axis", -static_cast<int64_t>(norm.axes.size())}, {"epsilon", norm.epsilon}};
    const Axes order = norm_last(norm, graph.value(norm.x).type.shape.rank());
    Expansion nodes(graph, replaced);
    if (std::ranges::is_sorted(order)) return nodes.finish(op, std::move(in), std::move(attrs));
    in[0] = nodes.add(ops::Transpose, {in[0]}, {{"perm", order}});
    nodes.finish(ops::Transpose, {nodes.add(op, std::move(in), std::move(attrs))}, {{"perm", inverse(order)}});
}

// Which dims are normalised.
enum class Over : uint8_t { last, others };

Over over(const Graph& graph, const Norm& norm) {
    return std::ranges::is_sorted(norm_last(norm, graph.value(norm.x).type.shape.rank())) ? Over::last : Over::others;
}

bool fuse(Graph& graph, const Node& node, bool layer, Over which) {
    auto norm = with_centre(graph, node, layer);
    if (!norm && layer) norm = with_shift(graph, node);
    if (!norm || graph.uses(node.out[0]).empty() || over(graph, *norm) != which) return false;
    const DType dtype = graph.value(norm->x).type.dtype;
    if (!is_float(dtype)) return false;
    const Dims dims = *dims_along(graph, norm->x, norm->axes);
    const auto rows = [&](std::string_view what, float number) {
        const std::vector<float> all(static_cast<size_t>(count_of(dims)), number);
        return graph.add_constant(fmt::format("{}_{}", graph.value(norm->result).name, what), from_floats(dtype, dims, all));
    };
    std::vector<ValueId> in{norm->x, norm->scale == ValueId::none ? rows("ones", 1) : in_dims(graph, norm->scale, dims)};
    if (norm->bias != ValueId::none) in.push_back(in_dims(graph, norm->bias, dims));
    const std::vector<ValueId> replaced = graph.node(graph.value(norm->result).producer).in;
    put(graph, *norm, std::move(in), layer);
    for (const ValueId id : replaced) erase_unread(graph, id);
    return true;
}

template <bool layer, Over which>
int fuse_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (!graph.node(id).erased && fuse(graph, graph.node(id), layer, which)) ++changes;
    return changes;
}

}  // namespace

constinit const Pass fuse_layernorm{"fuse_layernorm", "recognise LayerNormalization in its elementary operations",
                                    [](Graph& graph) { return on_every_graph(graph, fuse_in<true, Over::last>); }, 1e-4f};
constinit const Pass fuse_rmsnorm{"fuse_rmsnorm", "recognise RMSNormalization in its elementary operations",
                                  [](Graph& graph) { return on_every_graph(graph, fuse_in<false, Over::last>); }, 1e-4f};
constinit const Pass fuse_channelnorm{"fuse_channelnorm",
                                      "recognise LayerNormalization over dims that are not the last, between Transposes",
                                      [](Graph& graph) { return on_every_graph(graph, fuse_in<true, Over::others>); }, 1e-4f};

}  // namespace quern
