#include "libcore/kernels/onednn/post_ops.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace quern::onednn {
namespace {

using Algorithm = dnnl::algorithm;

struct Row {
    std::string_view op;
    Algorithm algorithm;
    std::string_view alpha = {};  // attribute
};
constexpr std::array rows{
    Row{"Relu", Algorithm::eltwise_relu},
    Row{"LeakyRelu", Algorithm::eltwise_relu, "alpha"},
    Row{"Sigmoid", Algorithm::eltwise_logistic},
    Row{"Tanh", Algorithm::eltwise_tanh},
    Row{"Elu", Algorithm::eltwise_elu, "alpha"},
    Row{"HardSwish", Algorithm::eltwise_hardswish},
    Row{"Swish", Algorithm::eltwise_swish, "alpha"},
};

std::optional<Eltwise> clip(const Graph& graph, const Node& node) {
    float low = -std::numeric_limits<float>::max(), high = std::numeric_limits<float>::max();
    if (node.in.size() > 1 && node.in[1] != ValueId::none && !scalar_constant(graph, node.in[1], low)) return std::nullopt;
    if (node.in.size() > 2 && node.in[2] != ValueId::none && !scalar_constant(graph, node.in[2], high)) return std::nullopt;
    return Eltwise{Algorithm::eltwise_clip, low, high};
}

// x op constant scalar as alpha * x + beta.
std::optional<Eltwise> linear(const Graph& graph, const Node& node, ValueId chained) {
    if (node.in.size() != 2 || node.in[0] == node.in[1]) return std::nullopt;
    const bool left = node.in[0] == chained;
    float c = 0;
    if (!scalar_constant(graph, node.in[left ? 1 : 0], c)) return std::nullopt;
    const Shape& shape = graph.value(node.in[left ? 1 : 0]).type.shape;
    if (!graph.value(chained).type.shape.ranked || shape.rank() > graph.value(chained).type.shape.rank()) return std::nullopt;
    if (node.op->name == "Mul") return Eltwise{Algorithm::eltwise_linear, c, 0};
    if (node.op->name == "Add") return Eltwise{Algorithm::eltwise_linear, 1, c};
    if (node.op->name == "Sub" && left) return Eltwise{Algorithm::eltwise_linear, 1, -c};
    return std::nullopt;
}

}  // namespace

std::optional<Eltwise> eltwise_of(const Graph& graph, const Node& node, ValueId chained) {
    if (!node.op->domain.empty()) return std::nullopt;
    for (const Row& row : rows)
        if (row.op == node.op->name) return Eltwise{row.algorithm, row.alpha.empty() ? 0 : NodeView(node).real(row.alpha), 0};
    if (node.op->name == "Clip" && node.in[0] == chained) return clip(graph, node);
    if (node.op->name == "Gelu")
        return Eltwise{NodeView(node).text("approximate") == "tanh" ? Algorithm::eltwise_gelu_tanh : Algorithm::eltwise_gelu_erf};
    return linear(graph, node, chained);
}

bool is_chained_eltwise(const Site& site, const Node& next) {
    const auto eltwise = eltwise_of(site.graph, next, site.out());
    if (!eltwise) return false;
    for (size_t i = 1; i < site.nodes.size(); ++i)
        if (const auto other = eltwise_of(site.graph, *site.nodes[i], site.nodes[i - 1]->out[0]);
            other && other->algorithm == eltwise->algorithm)
            return false;
    return true;
}

bool is_residual_add(const Site& site, const Node& next) {
    if (next.op->name != "Add" || !next.op->domain.empty()) return false;
    for (size_t i = 1; i < site.nodes.size(); ++i) {  // only one sum goes into the result's buffer
        const auto computed = [&](ValueId id) { return id != site.nodes[i - 1]->out[0] && !site.value(id).constant(); };
        if (site.nodes[i]->op->name == "Add" && std::ranges::any_of(site.nodes[i]->in, computed)) return false;
    }
    const auto others = site.operands(next);
    if (others.size() != 1 || others[0] == ValueId::none || others[0] == site.out() || !is_f32(site, others[0])) return false;
    return !site.value(others[0]).constant() && same_shape(site.value(site.out()).type.shape, site.value(others[0]).type.shape);
}

dnnl::post_ops post_ops_of(const Site& site, size_t begin, std::optional<size_t>& residual, std::string& name) {
    dnnl::post_ops ops;
    ValueId chained = site.nodes[begin - 1]->out[0];
    for (size_t i = begin; i < site.nodes.size(); ++i) {
        const Node& node = *site.nodes[i];
        if (const auto eltwise = eltwise_of(site.graph, node, chained)) {
            ops.append_eltwise(1.0f, eltwise->algorithm, eltwise->alpha, eltwise->beta);
        } else {
            const ValueId other = node.in[node.in[0] == chained ? 1 : 0];
            for (size_t k = 0; k < site.in.size(); ++k)
                if (site.in[k] == other) residual = k;
            ops.append_sum();
        }
        name += "+" + std::string(node.op->name);
        chained = node.out[0];
    }
    return ops;
}

Buffer residual_buffer(KernelCtx& ctx, size_t index, const dnnl::memory::desc& desc) {
    if (auto own = dying_buffer(ctx, index, desc)) return *own;
    Buffer buffer = take(ctx, desc);
    Source from = source(ctx, index);
    dnnl::memory to(desc, engine(), buffer.data.get());
    if (from.memory.get_desc() == desc)
        std::memcpy(buffer.data.get(), from.memory.get_data_handle(), desc.get_size());
    else
        dnnl::reorder(from.memory, to).execute(stream(), from.memory, to);
    return buffer;
}

}  // namespace quern::onednn
