#include "libcore/kernels/product_site.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

bool is_gemm(const Node& node) { return node.is(ops::Gemm); }
bool has_bias(const Node& node) { return is_gemm(node) && node.in.size() > 2 && node.in[2] != ValueId::none; }

// Add of a constant vector along the last axis.
bool is_bias_add(const Site& site, const Node& next) {
    if (!next.is(ops::Add) || site.nodes.size() != 1 || has_bias(site.first())) return false;
    const auto others = site.operands(next);
    if (others.size() != 1 || others[0] == ValueId::none || !site.value(others[0]).constant() || !is_f32(site, others[0])) return false;
    const Shape &bias = site.value(others[0]).type.shape, &out = site.value(site.out()).type.shape;
    return bias.rank() == 1 && out.ranked && out.rank() >= 2 && out.dims.back().known() && bias.dims[0].value == out.dims.back().value;
}

std::string_view gemm_obstacle(const Site& site) {
    const Node& node = site.first();
    const NodeView view(node);
    const Shape& b = site.value(node.in[1]).type.shape;
    if (!b.ranked || b.rank() != 2) return "the second matrix is of unknown rank";
    if (view.integer("transA") != 0) return "the first matrix is transposed";
    if (view.real("alpha") != 1 || view.real("beta") != 1) return "alpha or beta is not 1";
    if (!has_bias(node)) return "";
    const Shape& bias = site.value(node.in[2]).type.shape;
    const int64_t columns = b.dims[view.integer("transB") != 0 ? 0 : 1].value;
    const bool vector = site.value(node.in[2]).constant() && bias.rank() >= 1 && bias.dims.back().value == columns &&
                        (bias.rank() == 1 || bias.dims[0].value == 1);
    return vector ? "" : "C is not a constant vector";
}

}  // namespace

bool absorbs_into_product(const Site& site, const Node& next) {
    return is_bias_add(site, next) || is_residual_add(site, next) || is_chained_eltwise(site, next);
}

std::string_view product_obstacle(const Site& site) {
    const Node& node = site.first();
    if (!is_f32(site, node.in[0]) || !is_f32(site, node.in[1])) return "is not float32";
    if (is_gemm(node)) return gemm_obstacle(site);
    const Shape &a = site.value(node.in[0]).type.shape, &b = site.value(node.in[1]).type.shape;
    if (!a.ranked || !b.ranked || a.rank() < 2 || b.rank() < 2) return "has a vector, or operands of unknown rank";
    return a.rank() > 6 || b.rank() > 6 ? "has more than 6 dimensions" : "";
}

ProductSite::ProductSite(const Site& site) {
    const Node& node = site.first();
    stored_transposed = is_gemm(node) && NodeView(node).integer("transB") != 0;
    if (site.value(node.in[1]).constant()) {
        weights = *site.value(node.in[1]).type.shape.concrete();
        if (stored_transposed) std::swap(weights[0], weights[1]);
        held.push_back(node.in[1]);
    }
    if (has_bias(node)) bias = node.in[2];
    name = "matmul";
    size_t begin = 1;
    const Site alone{site.graph, {&node}, {}};
    if (site.nodes.size() > 1 && is_bias_add(alone, *site.nodes[1])) {
        bias = alone.operands(*site.nodes[1])[0];
        name += "+bias";
        begin = 2;
    }
    if (bias != ValueId::none) held.push_back(bias);
    tail = tail_of(site, begin);
    name += tail.name;
}

}  // namespace quern
