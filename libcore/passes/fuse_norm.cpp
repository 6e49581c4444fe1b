// LayerNormalization and RMSNormalization spelled out:
//     d = x - mean(x);  y = d / sqrt(mean(d^2) + eps) [* scale [+ bias]]        and        y = x / sqrt(mean(x^2) + eps) [* scale]
#include <algorithm>

#include "libcore/graph/device.h"
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
    if (const Node* mul = made_by(graph, id, "Mul"); mul && mul->in[0] == mul->in[1]) return mul->in[0];
    if (const Node* pow = made_by(graph, id, "Pow"); pow && scalar_of(graph, pow->in[1]) == 2.0f) return pow->in[0];
    return ValueId::none;
}

// Add of a value and a constant scalar, either way round.
std::optional<std::pair<ValueId, float>> plus_scalar(const Graph& graph, ValueId id) {
    const Node* add = made_by(graph, id, "Add");
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
    const Node* mean = made_by(graph, sum->first, "ReduceMean");
    if (!mean) return std::nullopt;
    const auto axis = trailing_axis(graph, *mean);
    const ValueId base = squared(graph, mean->in[0]);
    if (!axis || base == ValueId::none) return std::nullopt;
    return Deviation{base, *axis, sum->second};
}

// base / r in its forms: Div(base, Sqrt(v)), Mul(base, Reciprocal(Sqrt(v))), Mul(base, Div(1, Sqrt(v))), Mul(base, Pow(v, -0.5)).
std::optional<Deviation> normalised(const Graph& graph, const Node& node) {
    const auto root = [&](ValueId id) -> std::optional<Deviation> {
        const Node* sqrt = made_by(graph, id, "Sqrt");
        return sqrt ? deviation_of(graph, sqrt->in[0]) : std::nullopt;
    };
    if (is_op(node, "Div")) {
        const auto found = root(node.in[1]);
        return found && found->base == node.in[0] ? found : std::nullopt;
    }
    if (!is_op(node, "Mul")) return std::nullopt;
    for (const size_t i : {size_t{0}, size_t{1}}) {
        std::optional<Deviation> found;
        if (const Node* inverse = made_by(graph, node.in[i], "Reciprocal")) found = root(inverse->in[0]);
        if (const Node* div = made_by(graph, node.in[i], "Div"); div && scalar_of(graph, div->in[0]) == 1.0f) found = root(div->in[1]);
        if (const Node* pow = made_by(graph, node.in[i], "Pow"); pow && scalar_of(graph, pow->in[1]) == -0.5f)
            found = deviation_of(graph, pow->in[0]);
        if (found && found->base == node.in[1 - i]) return found;
    }
    return std::nullopt;
}

// The single reader of `id` if it is that operator with a constant of exactly the normalised shape; its result, and the constant.
struct Applied {
    ValueId result = ValueId::none, constant = ValueId::none;
};
Applied applied(const Graph& graph, ValueId id, std::string_view op, const Shape& tail) {
    const auto uses = graph.uses(id);
    if (uses.size() != 1 || uses[0].node == NodeId::none || uses[0].index < 0) return {};
    const Node& next = graph.node(uses[0].node);
    if (!is_op(next, op)) return {};
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
    const Node* sub = made_by(graph, id, "Sub");
    if (!sub) return ValueId::none;
    const Node* mean = made_by(graph, sub->in[1], "ReduceMean");
    return mean && mean->in[0] == sub->in[0] && trailing_axis(graph, *mean) == axis ? sub->in[0] : ValueId::none;
}

bool fuse(Graph& graph, const Node& node, bool layer) {
    const auto found = normalised(graph, node);
    if (!found || graph.uses(node.out[0]).empty()) return false;
    const ValueId x = centred(graph, found->base, found->axis);
    if (layer != (x != ValueId::none)) return false;
    const ValueId source = layer ? x : found->base;
    const auto tail = tail_of(graph, source, found->axis);
    const DType dtype = graph.value(source).type.dtype;
    if (!tail || !is_float(dtype)) return false;
    ValueId result = node.out[0];
    auto device = device_between(graph, result, source);
    if (!device) return false;
    const auto next = [&](std::string_view op) {
        const Applied found = applied(graph, result, op, *tail);
        const auto wider = found.result == ValueId::none ? std::nullopt : device_between(graph, found.result, source);
        if (!wider) return Applied{};
        device = wider;
        result = found.result;
        return found;
    };
    const Applied scale = next("Mul");
    const Applied bias = layer && scale.result != ValueId::none ? next("Add") : Applied{};
    ValueId factor = scale.constant;
    if (factor == ValueId::none) {
        const Dims dims = *tail->concrete();
        const std::vector<float> ones(static_cast<size_t>(count_of(dims)), 1.0f);
        factor = graph.add_constant(graph.value(result).name + "_ones", from_floats(dtype, dims, ones));
    }
    std::vector<ValueId> in{source, factor};
    if (bias.constant != ValueId::none) in.push_back(bias.constant);
    const std::vector<ValueId> replaced = graph.node(graph.value(result).producer).in;
    const Op* op = need_op(layer ? "LayerNormalization" : "RMSNormalization");
    const NodeId fused = take_over(graph, result, op, std::move(in), {{"axis", found->axis}, {"epsilon", found->epsilon}});
    graph.node(fused).device = *device;
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
