#include "libcore/kernels/stored_weights.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

bool is_f32(const Value& value) { return value.type.dtype == DType::f32 && !value.enc; }

bool is_transposed(const Node& node) { return node.is(ops::Gemm) && NodeView(node).integer("transB") != 0; }

std::string_view weights_obstacle(const Node& node, const Value& weights) {
    const Encoding& e = *weights.enc;
    if (e.format) return "the weights are in blocks of a format";
    const bool small = e.storage == DType::i8 || e.storage == DType::u8 || e.storage == DType::i4 || e.storage == DType::u4;
    if (!e.is_fixed() || e.format || !small || e.min.defined() || e.real != DType::f32) return "the weights are not codes of 4 or 8 bits";
    const auto dims = weights.type.shape.concrete();
    if (!dims || dims->size() != 2 || count_of(*dims) <= 0) return "the weights are not a matrix";
    const int depth = is_transposed(node) ? 1 : 0;
    if (e.axis >= 0 && (e.axis == depth) != (e.block > 0)) return "the weights have scales along the other axis";
    // A context keeps the encoding, and its graph takes no others: blocks of ggml have scales below 0.
    const bool blocks = e.block > 0;
    const bool usual = std::ranges::all_of(to_floats(e.scale), [&](float scale) { return std::isfinite(scale) && (blocks || scale > 0); });
    return usual ? "" : "the weights have a scale that is not finite and above 0";
}

// So few that decoding once for all is not worth its memory; any number of them where the weights are in blocks, as those of language
// models.
bool has_few_rows(const Value& x, const Value& weights) {
    const auto dims = x.type.shape.concrete();
    if (!dims) return weights.enc->block > 0;
    return !dims->empty() && count_of(*dims) / std::max<int64_t>(dims->back(), 1) <= max_stored_rows;
}

// A row of numbers, or one.
bool is_row(const Value& bias, int64_t columns) {
    const auto dims = bias.type.shape.concrete();
    return dims && is_f32(bias) && (count_of(*dims) == 1 || (count_of(*dims) == columns && dims->back() == columns));
}

}  // namespace

bool reads_stored_weights(const Graph& graph, const Node& node) {
    if (node.is(ops::microsoft::MatMulNBits)) return true;
    if (!node.is(ops::MatMul, ops::Gemm)) return false;
    const Value& weights = graph.value(node.in[1]);
    return weights.constant() && weights.enc;
}

std::string_view stored_weights_obstacle(const Graph& graph, const Node& node) {
    const Value &x = graph.value(node.in[0]), &weights = graph.value(node.in[1]);
    if (!is_f32(x) || !is_f32(graph.value(node.out[0]))) return "its data and result are not float32";
    if (const auto obstacle = weights_obstacle(node, weights); !obstacle.empty()) return obstacle;
    if (!has_few_rows(x, weights)) return "has many rows, or nobody knows how many";
    const NodeView view(node);
    if (!node.is(ops::Gemm)) return "";
    if (view.integer("transA") != 0 || view.real("alpha") != 1 || view.real("beta") != 1) return "is more than a product";
    const bool biased = node.in.size() > 2 && node.in[2] != ValueId::none;
    return biased && !is_row(graph.value(node.in[2]), stored_layout(graph, node).columns) ? "C is not a row" : "";
}

StoredLayout stored_layout(const Graph& graph, const Node& node) {
    const Value& weights = graph.value(node.in[1]);
    const Dims dims = *weights.type.shape.concrete();
    const int64_t block = weights.enc->block;
    if (is_transposed(node)) return {dims[1], dims[0], 1, dims[1], block > 0 ? block : dims[1]};
    return {dims[0], dims[1], dims[1], 1, block > 0 ? block : dims[0]};
}

}  // namespace quern
