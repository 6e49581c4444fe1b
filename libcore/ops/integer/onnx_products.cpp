#include "libcore/ops/integer/onnx_products.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/codes_of_sums.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/requantization.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

// int32 sums are exact for 8-bit codes up to depth 2^16 (2^17 where one side is signed); wider codes take int64.
bool needs_wide_sums(EvalCtx& ctx) { return has_wide_products(*ctx.in_encoding(0), *ctx.in_encoding(1)); }

bool is_dynamic(EvalCtx& ctx) { return ctx.in_encoding(0)->is_dynamic() || ctx.in_encoding(1)->is_dynamic(); }

// One number per channel.
std::vector<float> real_bias(const Tensor& bias, const Encoding* encoding, size_t channels) {
    if (const auto count = static_cast<size_t>(bias.count()); count != 1 && count != channels)
        throw bad_input("bias is {}, need {} numbers", to_string(bias.dims), channels);
    std::vector<float> numbers = to_floats(encoding ? dequantize(bias, *encoding) : bias);
    if (!numbers.empty()) numbers.resize(channels, numbers[0]);
    return numbers;
}

template <class Acc>
void scale_all(const std::vector<Acc>& sums, const ChannelOrder& order, std::span<const float> factors, std::span<const int64_t> bias,
               float* to) {
    over_runs(sums.size(), order, [&](size_t first, size_t count, size_t channel, size_t step) {
        scale_sums(std::span(sums).subspan(first, count), factors.data() + channel, bias.empty() ? nullptr : bias.data() + channel, step,
                   to + first);
    });
}

// The sum becomes real before anything else happens to it.
template <class Acc>
void give_dynamic(EvalCtx& ctx, const Dims& dims, const std::vector<Acc>& sums, const ChannelOrder& order, std::span<const float> factors,
                  size_t bias_input) {
    const Tensor* bias = ctx.in(bias_input);
    const auto added = bias ? real_bias(*bias, ctx.in_encoding(bias_input), order.channels) : std::vector<float>();
    std::vector<float> real(sums.size());
    scale_all(sums, order, factors, {}, real.data());
    if (!added.empty())
        over_runs(real.size(), order, [&](size_t first, size_t count, size_t channel, size_t step) {
            for (size_t i = 0; i < count; ++i) real[first + i] += added[channel + i * step];
        });
    const Tensor y = Tensor::make<float>(dims, real);
    ctx.give(0, ctx.out_encoding(0) ? quantize(y, *ctx.out_encoding(0)) : y);
}

// Each channel of the sums with its scale and bias.
template <class Acc>
void give_sums(EvalCtx& ctx, const Dims& dims, const std::vector<Acc>& sums, const ChannelOrder& order, size_t bias_input) {
    const Encoding &x = *ctx.in_encoding(0), &w = *ctx.in_encoding(1), *out = ctx.out_encoding(0);
    const Tensor* bias = ctx.in(bias_input);
    const Encoding* bias_encoding = bias ? ctx.in_encoding(bias_input) : nullptr;
    if (out && !is_dynamic(ctx))
        return give_codes_of_sums(ctx, dims, std::span(sums), onnx_sum_codes({ctx.node(), x, w, *out, bias, bias_encoding, order.channels}),
                                  order);
    std::vector<float> factors = product_scales(x, w);
    factors.resize(order.channels, factors[0]);
    if (is_dynamic(ctx)) return give_dynamic(ctx, dims, sums, order, factors, bias_input);
    const auto codes = bias ? bias_codes(*bias, bias_encoding, factors, order.channels, needs_wide_sums(ctx)) : std::vector<int64_t>();
    scale_all(sums, order, factors, codes, ctx.out_as<float>(0, dims).data());
}

template <class Acc>
void conv(EvalCtx& ctx) {
    const bool last = channels_last(ctx);
    Dims dims;
    const auto sums =
        integer_conv<Acc>(ctx, ctx.need(0).dims, centered_input(ctx, 0), ctx.need(1).dims, centered_input(ctx, 1), dims, last);
    give_sums(ctx, dims, sums, order_of(dims, last), 2);
}

template <class Acc>
void product(EvalCtx& ctx, const ProductShape& shape, const MatrixOperands& sides, size_t bias) {
    const auto sums = integer_matmul<Acc>(shape, sides.a, sides.b, sides.b_transposed);
    const bool by_channel = ctx.in_encoding(1)->per_channel();
    const size_t channels = by_channel || ctx.in(bias) ? static_cast<size_t>(shape.n) : 1;
    give_sums(ctx, shape.out, sums, {channels, 1}, bias);
}

}  // namespace

bool takes_integer_operands(const Node& node, const IntegerOperands& operands) {
    const auto [x, w, w_rank, bias] = operands;
    const auto integer = [](const Encoding* e) {
        return e && is_integer(e->storage) && bits_of(e->storage) <= 16 && e->block == 0 && !e->min.defined();
    };
    if (!integer(x) || !integer(w) || !x->per_tensor()) return false;
    const NodeView view(node);
    if (bias.ranked && bias.rank() > 1) return false;
    if (node.is(ops::Conv)) return w->axis <= 0;
    if (node.is(ops::MatMul)) return w->per_tensor() || (w_rank >= 2 && static_cast<size_t>(w->axis) == w_rank - 1);
    if (view.real("alpha") != 1 || view.real("beta") != 1) return false;
    return w->per_tensor() || w->axis == (view.integer("transB") != 0 ? 0 : 1);
}

namespace {

void eval_conv(EvalCtx& ctx) { needs_wide_sums(ctx) ? conv<int64_t>(ctx) : conv<int32_t>(ctx); }

void eval_matrix(EvalCtx& ctx) {
    const size_t bias = ctx.node().is(ops::Gemm) ? 2 : ctx.node().in.size();
    const MatrixOperands sides(ctx);
    const ProductShape shape = product_shape(sides.a_dims, sides.b_dims);
    needs_wide_sums(ctx) ? product<int64_t>(ctx, shape, sides, bias) : product<int32_t>(ctx, shape, sides, bias);
}

bool fits_product(const Graph& graph, const Node& node, const Encoding& out) {
    if (out.storage != DType::none && out.is_fixed() && (!out.per_tensor() || !is_integer(out.storage))) return false;
    const auto encoding = [&](size_t i) {
        const auto& enc = graph.value(node.in[i]).enc;
        return enc ? &*enc : nullptr;
    };
    const bool biased = node.in.size() > 2 && node.in[2] != ValueId::none;
    return takes_integer_operands(
        node, {encoding(0), encoding(1), graph.value(node.in[1]).type.shape.rank(), biased ? graph.value(node.in[2]).type.shape : Shape()});
}
constexpr Takes takes_product{
    fits_product, "operands in codes of up to 16 bits, the first with one scale, weights with scales for their output channels at most"};

constexpr auto any = ProfileRow::Result::any;
constexpr std::array onnx_products_table{
    ProfileRow{.op = ops::Conv, .takes = takes_product, .eval = eval_conv, .unit = true, .result = any, .sums = onnx_sum_codes},
    ProfileRow{.op = ops::MatMul, .takes = takes_product, .eval = eval_matrix, .unit = true, .result = any, .sums = onnx_sum_codes},
    ProfileRow{.op = ops::Gemm, .takes = takes_product, .eval = eval_matrix, .unit = true, .result = any, .sums = onnx_sum_codes},
};

}  // namespace

std::span<const ProfileRow> onnx_product_rows() { return onnx_products_table; }

}  // namespace quern
