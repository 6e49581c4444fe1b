// The tflite profile: products of real activations and int8 or int4 weights (dynamic range models). The activations are rounded on the
// way in, an image or a row of a matrix at a time. The sum of products becomes real by the scales, and the bias is added.
#include <algorithm>
#include <array>
#include <numeric>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/codes_of_sums.h"
#include "libcore/ops/integer/hybrid.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

// ---- weights and results ---------------------------------------------------------------------------------------------------

Factors weights(EvalCtx& ctx) { return {ctx.need(1), std::array<int64_t, 1>{0}}; }

// One scale, whatever the file has: equal ones count as one.
bool one_scale(const Encoding& encoding) {
    const auto scales = to_floats(encoding.scale);
    return std::ranges::all_of(scales, [&](float scale) { return scale == scales[0]; });
}

// Sums [outer, channels, inner], as many for each slice, to real numbers.
template <class Acc>
std::vector<float> reals(EvalCtx& ctx, const std::vector<Acc>& sums, const Rounded& x, size_t channels, size_t inner, bool channel_first) {
    std::vector<float> scales = to_floats(ctx.in_encoding(1)->scale), bias;
    if (scales.size() != 1 && scales.size() != channels) throw bad_input("weights have {} scales for {} channels", scales.size(), channels);
    if (const Tensor* tensor = ctx.node().is(ops::MatMul) ? nullptr : ctx.in(2)) bias = to_floats(*tensor);
    if (!bias.empty() && bias.size() != channels) throw bad_input("bias has {} numbers, need {}", bias.size(), channels);
    scales.resize(channels, scales[0]);
    std::vector<float> out(sums.size());
    const size_t length = sums.size() / std::max<size_t>(x.scales.size(), 1);
    for (size_t s = 0; s < x.scales.size(); ++s)
        over_runs(length, {channels, inner}, [&, slice = x.scales[s]](size_t first, size_t count, size_t channel, size_t step) {
            const Acc* from = sums.data() + s * length + first;
            float* to = out.data() + s * length + first;
            for (size_t i = 0; i < count; ++i) {
                const float sum = static_cast<float>(from[i]), scale = scales[channel + i * step];
                to[i] = channel_first ? sum * scale * slice : sum * (slice * scale);
                if (!bias.empty()) to[i] += bias[channel + i * step];
            }
        });
    return out;
}

// ---- convolutions ----------------------------------------------------------------------------------------------------------

template <class Acc>
void give_spatial(EvalCtx& ctx, const Dims& dims, const std::vector<Acc>& sums, const Rounded& x, bool channel_first) {
    const bool last = channels_last(ctx);
    const size_t inner = last ? 1 : static_cast<size_t>(count_of(space_of(dims)));
    ctx.give(0, Tensor::make<float>(dims, reals(ctx, sums, x, static_cast<size_t>(last ? dims.back() : dims[1]), inner, channel_first)));
}

HybridRounding conv_rounding(const NodeView& node, const Encoding& weights, const Dims& dims) {
    const bool symmetric = node.integer("group") == 1 && one_scale(weights);
    return {false, symmetric, !symmetric && dims[channels_last(node) ? dims.size() - 1 : 1] != 1};
}

void eval_conv(EvalCtx& ctx) {
    const bool last = channels_last(ctx);
    const Numbers<float> data(ctx.need(0));
    const Dims &x_dims = ctx.need(0).dims, &w_dims = ctx.need(1).dims;
    const HybridRounding how = conv_rounding(ctx, *ctx.in_encoding(1), w_dims);
    const Rounded x = rounded(data.span(), x_dims[0], how.symmetric);
    Dims dims;
    const auto sums = integer_conv<int32_t>(ctx, x_dims, x.codes, w_dims, weights(ctx), dims, last);
    give_spatial(ctx, dims, sums, x, how.channel_first);
}

void eval_conv_transpose(EvalCtx& ctx) {
    const Numbers<float> data(ctx.need(0));
    const Dims& x_dims = ctx.need(0).dims;
    const Rounded x = rounded(data.span(), x_dims[0], false);
    Dims dims;
    const auto sums = integer_conv_transpose(ctx, x_dims, x.codes, ctx.need(1).dims, weights(ctx), dims, channels_last(ctx));
    give_spatial(ctx, dims, sums, x, true);
}

// ---- matrices --------------------------------------------------------------------------------------------------------------

HybridRounding matrix_rounding(const Node& node) { return {true, !node.attrs.contains(asymmetric_key), false}; }

// Rows of the left matrix are rounded one by one. `transposed`: the right one is [M, K].
void multiply(EvalCtx& ctx, Dims b_dims, bool transposed) {
    const Dims& a_dims = ctx.need(0).dims;
    if (transposed) std::swap(b_dims[0], b_dims[1]);
    const ProductShape shape = product_shape(a_dims, b_dims);
    const Numbers<float> data(ctx.need(0));
    const int64_t rows = std::accumulate(a_dims.begin(), a_dims.end() - 1, int64_t{1}, std::multiplies<>());
    const Rounded x = rounded(data.span(), rows, matrix_rounding(ctx.node()).symmetric);
    const auto channels = static_cast<size_t>(std::max<int64_t>(shape.n, 1));
    const auto sums = integer_matmul<int32_t>(shape, x.codes, weights(ctx), transposed);
    ctx.give(0, Tensor::make<float>(shape.out, reals(ctx, sums, x, channels, 1, false)));
}

void eval_gemm(EvalCtx& ctx) { multiply(ctx, ctx.need(1).dims, true); }

void eval_matmul(EvalCtx& ctx) { multiply(ctx, ctx.need(1).dims, false); }

// ---- what is taken ---------------------------------------------------------------------------------------------------------

bool takes_weights(const Graph& graph, const Node& node, int axis) {
    const Value &x = graph.value(node.in[0]), &w = graph.value(node.in[1]);
    const bool bias = node.in.size() > 2 && node.in[2] != ValueId::none;
    if (node.attrs.contains(weight_only_key)) return false;
    return !x.enc && x.type.dtype == DType::f32 && w.constant() && integer_grid(w.enc, true) && w.enc->symmetric() &&
           (w.enc->storage == DType::i8 || w.enc->storage == DType::i4) && (w.enc->per_tensor() || w.enc->axis == axis) &&
           (!bias ||
            (!graph.value(node.in[2]).enc && graph.value(node.in[2]).type.shape.ranked && graph.value(node.in[2]).type.shape.rank() == 1));
}

bool fits_conv(const Graph& graph, const Node& node, const Encoding&) { return takes_weights(graph, node, 0); }
constexpr Takes takes_conv{fits_conv, "float32 data and constant symmetric weights of int8 or int4, scales for output channels at most"};

bool fits_transposed(const Graph& graph, const Node& node, const Encoding&) {
    return takes_weights(graph, node, channels_last(NodeView(node)) ? 3 : 1) && is_plain_conv_transpose(graph, node);
}
constexpr Takes takes_transposed{fits_transposed, "float32 data and constant symmetric weights of int8 or int4, no groups, no dilations"};

bool fits_gemm(const Graph& graph, const Node& node, const Encoding&) {
    const NodeView view(node);
    return takes_weights(graph, node, 0) && view.real("alpha") == 1 && view.real("beta") == 1 && view.integer("transA") == 0 &&
           view.integer("transB") != 0;
}
constexpr Takes takes_gemm{fits_gemm, "float32 data and constant symmetric weights of int8 or int4 [N, K], alpha and beta of 1"};

// One matrix of weights for all batches.
bool fits_matmul(const Graph& graph, const Node& node, const Encoding&) {
    const Shape &a = graph.value(node.in[0]).type.shape, &b = graph.value(node.in[1]).type.shape;
    return a.ranked && a.rank() >= 2 && b.ranked && b.rank() == 2 && takes_weights(graph, node, 1);
}
constexpr Takes takes_matmul{fits_matmul, "float32 data of two dims at least and a constant matrix of symmetric int8 or int4 codes"};

constexpr std::array tflite_hybrid_table{
    ProfileRow{.op = ops::Conv, .takes = takes_conv, .eval = eval_conv, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::ConvTranspose, .takes = takes_transposed, .eval = eval_conv_transpose, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::Gemm, .takes = takes_gemm, .eval = eval_gemm, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::MatMul, .takes = takes_matmul, .eval = eval_matmul, .result = ProfileRow::Result::real},
};

}  // namespace

std::span<const ProfileRow> tflite_hybrid_rows() { return tflite_hybrid_table; }

std::optional<HybridRounding> hybrid_rounding(const ProfileRow& row, const Node& node, const Encoding& weights, const Dims& dims) {
    if (row.eval == eval_conv) return conv_rounding(NodeView(node), weights, dims);
    if (row.eval == eval_gemm || row.eval == eval_matmul) return matrix_rounding(node);
    return std::nullopt;
}

}  // namespace quern
