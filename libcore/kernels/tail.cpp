#include "libcore/kernels/tail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/questions.h"

namespace quern {
namespace {

struct Row {
    std::string_view op;
    EltwiseKind kind;
    std::string_view alpha = {};  // attribute
};
constexpr std::array rows{
    Row{"Relu", EltwiseKind::relu},
    Row{"LeakyRelu", EltwiseKind::relu, "alpha"},
    Row{"Sigmoid", EltwiseKind::logistic},
    Row{"Tanh", EltwiseKind::tanh},
    Row{"Elu", EltwiseKind::elu, "alpha"},
    Row{"HardSwish", EltwiseKind::hardswish},
    Row{"Swish", EltwiseKind::swish, "alpha"},
};

std::optional<Eltwise> clip(const Graph& graph, const Node& node) {
    const auto bounds = clip_bounds(graph, node);
    constexpr float max = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
    if (!bounds || bounds->low == infinity || bounds->high == -infinity) return std::nullopt;
    const auto finite = [](float bound) { return std::isinf(bound) ? std::copysign(max, bound) : bound; };
    return Eltwise{EltwiseKind::clip, finite(bounds->low), finite(bounds->high)};
}

// x op constant scalar as alpha * x + beta.
std::optional<Eltwise> linear(const Graph& graph, const Node& node, ValueId chained) {
    if (node.in.size() != 2 || node.in[0] == node.in[1]) return std::nullopt;
    const bool left = node.in[0] == chained;
    const auto c = scalar_of(graph, node.in[left ? 1 : 0]);
    if (!c) return std::nullopt;
    const Shape& shape = graph.value(node.in[left ? 1 : 0]).type.shape;
    if (!graph.value(chained).type.shape.ranked || shape.rank() > graph.value(chained).type.shape.rank()) return std::nullopt;
    if (node.is(ops::Mul)) return Eltwise{EltwiseKind::linear, *c, 0};
    if (node.is(ops::Add)) return Eltwise{EltwiseKind::linear, 1, *c};
    if (node.is(ops::Sub) && left) return Eltwise{EltwiseKind::linear, 1, -*c};
    return std::nullopt;
}

}  // namespace

std::optional<Eltwise> eltwise_of(const Graph& graph, const Node& node, ValueId chained) {
    if (!node.op->domain.empty()) return std::nullopt;
    for (const Row& row : rows)
        if (row.op == node.op->name) return Eltwise{row.kind, row.alpha.empty() ? 0 : NodeView(node).real(row.alpha), 0};
    if (node.is(ops::Clip) && node.in[0] == chained) return clip(graph, node);
    if (node.is(ops::Gelu)) return Eltwise{NodeView(node).text("approximate") == "tanh" ? EltwiseKind::gelu_tanh : EltwiseKind::gelu_erf};
    return linear(graph, node, chained);
}

bool is_chained_eltwise(const Site& site, const Node& next) {
    const auto eltwise = eltwise_of(site.graph, next, site.out());
    if (!eltwise) return false;
    for (size_t i = 1; i < site.nodes.size(); ++i)
        if (const auto other = eltwise_of(site.graph, *site.nodes[i], site.nodes[i - 1]->out[0]); other && other->kind == eltwise->kind)
            return false;
    return true;
}

bool is_residual_add(const Site& site, const Node& next) {
    if (!next.is(ops::Add)) return false;
    for (size_t i = 1; i < site.nodes.size(); ++i) {  // only one sum goes into the result's buffer
        const auto computed = [&](ValueId id) { return id != site.nodes[i - 1]->out[0] && !site.value(id).constant(); };
        if (site.nodes[i]->is(ops::Add) && std::ranges::any_of(site.nodes[i]->in, computed)) return false;
    }
    const auto others = site.operands(next);
    if (others.size() != 1 || others[0] == ValueId::none || others[0] == site.out() || !is_f32(site, others[0])) return false;
    return !site.value(others[0]).constant() && same_shape(site.value(site.out()).type.shape, site.value(others[0]).type.shape);
}

Tail tail_of(const Site& site, size_t begin) {
    Tail tail;
    ValueId chained = site.nodes[begin - 1]->out[0];
    for (size_t i = begin; i < site.nodes.size(); ++i) {
        const Node& node = *site.nodes[i];
        tail.steps.push_back(eltwise_of(site.graph, node, chained));
        if (!tail.steps.back()) {
            const ValueId other = node.in[node.in[0] == chained ? 1 : 0];
            for (size_t k = 0; k < site.in.size(); ++k)
                if (site.in[k] == other) tail.residual = k;
        }
        tail.name += "+" + std::string(node.op->name);
        chained = node.out[0];
    }
    return tail;
}

std::optional<SumAndClamp> sum_and_clamp(const Tail& tail) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    SumAndClamp out{false, -infinity, infinity};
    for (size_t i = 0; i < tail.steps.size(); ++i) {
        const auto& step = tail.steps[i];
        if (i == 0 && !step && tail.steps.size() <= 2) {
            out.sum = true;
            continue;
        }
        if (i + 1 != tail.steps.size() || !step) return std::nullopt;
        if (step->kind == EltwiseKind::clip) {
            out.low = step->alpha;
            out.high = step->beta;
        } else if (step->kind == EltwiseKind::relu && step->alpha == 0) {
            out.low = 0;
        } else {
            return std::nullopt;
        }
    }
    return out;
}

}  // namespace quern
