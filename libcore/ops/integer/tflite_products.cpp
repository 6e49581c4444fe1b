// The tflite profile: Conv, ConvTranspose, Gemm and MatMul. Codes less their zero points are multiplied and summed in 32 bits (64 for
// 16-bit activations), the bias is added as it is, and the sum is multiplied by the fixed-point factor of its channel; a Gemm's by the
// factor in double, rounded with ties away from zero, as LiteRT's reference kernel does since 2024.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/codes_of_sums.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/requantization.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

template <class Acc>
void give_sums(EvalCtx& ctx, const Dims& dims, const std::vector<Acc>& sums, const ChannelOrder& order, size_t bias_input,
               SumCodes (*codes_of)(const SumOperands&)) {
    const Tensor* bias = ctx.in(bias_input);
    const Encoding* bias_encoding = bias ? ctx.in_encoding(bias_input) : nullptr;
    const SumCodes codes =
        codes_of({ctx.node(), *ctx.in_encoding(0), *ctx.in_encoding(1), *ctx.out_encoding(0), bias, bias_encoding, order.channels});
    give_codes_of_sums(ctx, dims, std::span(sums), codes, order);
}

bool is_wide(EvalCtx& ctx) { return bits_of(ctx.in_encoding(0)->storage) > 8; }

template <class Acc>
void conv(EvalCtx& ctx) {
    const bool last = channels_last(ctx);
    Dims dims;
    const auto sums =
        integer_conv<Acc>(ctx, ctx.need(0).dims, centered_input(ctx, 0), ctx.need(1).dims, centered_input(ctx, 1), dims, last);
    give_sums(ctx, dims, sums, order_of(dims, last), 2, tflite_sum_codes);
}

void eval_conv(EvalCtx& ctx) { is_wide(ctx) ? conv<int64_t>(ctx) : conv<int32_t>(ctx); }

void eval_conv_transpose(EvalCtx& ctx) {
    const bool last = channels_last(ctx);
    Dims dims;
    const auto sums =
        integer_conv_transpose(ctx, ctx.need(0).dims, centered_input(ctx, 0), ctx.need(1).dims, centered_input(ctx, 1), dims, last);
    give_sums(ctx, dims, sums, order_of(dims, last), 2, tflite_sum_codes);
}

template <class Acc>
void product(EvalCtx& ctx, const MatrixOperands& sides, SumCodes (*codes_of)(const SumOperands&)) {
    const ProductShape shape = product_shape(sides.a_dims, sides.b_dims);
    const auto sums = integer_matmul<Acc>(shape, sides.a, sides.b, sides.b_transposed);
    const size_t bias = ctx.node().is(ops::Gemm) ? 2 : 3;
    const auto channels = static_cast<size_t>(std::max<int64_t>(shape.n, 1));
    give_sums(ctx, shape.out, sums, {channels, 1}, bias, codes_of);
}

template <SumCodes (*codes_of)(const SumOperands&)>
void eval_matrix(EvalCtx& ctx) {
    const MatrixOperands sides(ctx);
    is_wide(ctx) ? product<int64_t>(ctx, sides, codes_of) : product<int32_t>(ctx, sides, codes_of);
}

// ---- what is taken -----------------------------------------------------------------------------------------------------

bool is_narrow(const Encoding& encoding) { return bits_of(encoding.storage) <= 16; }

bool takes_operands(const Graph& graph, const Node& node, const Encoding& out) {
    const auto &x = graph.value(node.in[0]).enc, &w = graph.value(node.in[1]).enc;
    if (!integer_grid(x) || !integer_grid(w, true) || !integer_grid(out) || !is_narrow(*x) || !is_narrow(*w)) return false;
    if (node.in.size() < 3 || node.in[2] == ValueId::none) return true;
    const auto& bias = graph.value(node.in[2]).enc;
    return integer_grid(bias, true) && (bias->storage == DType::i32 || bias->storage == DType::i64) && bias->symmetric();
}

bool fits_conv(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_operands(graph, node, out) && graph.value(node.in[1]).enc->axis <= 0;
}
constexpr Takes takes_conv{fits_conv,
                           "data and the result in codes of up to 16 bits with one scale each, weights with scales for output channels at "
                           "most, an int32 or int64 bias"};

bool fits_transposed(const Graph& graph, const Node& node, const Encoding& out) {
    const int axis = encoding_at(graph, node, 1) ? encoding_at(graph, node, 1)->axis : -1;
    return takes_operands(graph, node, out) && is_plain_conv_transpose(graph, node) &&
           (axis < 0 || axis == (channels_last(NodeView(node)) ? 3 : 1));
}
constexpr Takes takes_transposed{fits_transposed,
                                 "data and the result in codes of up to 16 bits with one scale each, weights with scales for output "
                                 "channels at most, no groups, no dilations"};

bool fits_gemm(const Graph& graph, const Node& node, const Encoding& out) {
    const NodeView view(node);
    const int axis = graph.value(node.in[1]).enc ? graph.value(node.in[1]).enc->axis : 0;
    return takes_operands(graph, node, out) && view.real("alpha") == 1 && view.real("beta") == 1 &&
           (axis < 0 || axis == (view.integer("transB") != 0 ? 0 : 1));
}
constexpr Takes takes_gemm{fits_gemm,
                           "data and the result in codes of up to 16 bits with one scale each, weights with scales for output channels at "
                           "most, alpha and beta of 1"};

bool fits_matmul(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_operands(graph, node, out) && graph.value(node.in[1]).enc->per_tensor();
}
constexpr Takes takes_matmul{fits_matmul, "both operands and the result in codes of up to 16 bits, one scale each"};

constexpr ProfileRow product_row(OpId op, Takes takes, void (*eval)(EvalCtx&), SumCodes (*sums)(const SumOperands&) = tflite_sum_codes) {
    return {.op = op, .takes = takes, .eval = eval, .unit = true, .sums = sums};
}

constexpr std::array micro{product_row(ops::Gemm, takes_gemm, eval_matrix<tflm_gemm_sum_codes>, tflm_gemm_sum_codes)};

constexpr std::array tflite_products_table{
    product_row(ops::Conv, takes_conv, eval_conv),
    product_row(ops::ConvTranspose, takes_transposed, eval_conv_transpose),
    product_row(ops::Gemm, takes_gemm, eval_matrix<tflite_sum_codes>),
    product_row(ops::MatMul, takes_matmul, eval_matrix<tflite_sum_codes>),
};

}  // namespace

std::span<const ProfileRow> tflite_product_rows() { return tflite_products_table; }
std::span<const ProfileRow> tflm_product_rows() { return micro; }

}  // namespace quern
