// The tflite profile: Conv and Gemm between real activations whose weights are int8 codes (dynamic range models). The activations are
// rounded on the way in, symmetrically to codes of -127..127, an image or a row of a matrix at a time; the sum of products becomes real by
// the product of the two scales, and the bias is added.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/ops/integer_product.h"
#include "libcore/ops/profile.h"
#include "libcore/ops/shared.h"
#include "libcore/ops/spatial.h"

namespace quern {
namespace {

constexpr float limit = 127;

struct Rounded {
    std::vector<int32_t> codes;
    std::vector<float> scales;  // one a slice of dim 0
};

Rounded rounded(std::span<const float> items, int64_t slices) {
    Rounded out{std::vector<int32_t>(items.size()), std::vector<float>(static_cast<size_t>(slices), 1.0f)};
    const size_t length = slices > 0 ? items.size() / static_cast<size_t>(slices) : 0;
    for (size_t s = 0; s < out.scales.size(); ++s) {
        float range = 0;
        for (size_t i = s * length; i < (s + 1) * length; ++i) range = std::max(range, std::abs(items[i]));
        if (range == 0) continue;
        if (!std::isfinite(range)) throw bad_input("input 0 holds an infinite number");
        out.scales[s] = range / limit;
        const float inverse = limit / range;
        for (size_t i = s * length; i < (s + 1) * length; ++i) {
            const float steps = std::round(items[i] * inverse);
            out.codes[i] = steps == steps ? static_cast<int32_t>(std::clamp(steps, -limit, limit)) : 0;
        }
    }
    return out;
}

std::vector<int32_t> weights(EvalCtx& ctx) {
    const auto& zero = ctx.in_encoding(1)->zero;
    return centered(ctx.need(1), zero.defined() ? to_ints(zero) : std::vector<int64_t>{0});
}

// [slices, channels, inner] sums to real numbers.
std::vector<float> reals(EvalCtx& ctx, const std::vector<int32_t>& sums, const Rounded& x, size_t channels, size_t inner) {
    const float w_scale = to_floats(ctx.in_encoding(1)->scale)[0];
    std::vector<float> bias;
    if (const Tensor* tensor = ctx.in(2)) bias = to_floats(*tensor);
    if (!bias.empty() && bias.size() != channels) throw bad_input("bias has {} numbers, need {}", bias.size(), channels);
    std::vector<float> out(sums.size());
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(sums[i]) * (x.scales[i / (channels * inner)] * w_scale);
        if (!bias.empty()) out[i] += bias[i / inner % channels];
    }
    return out;
}

void eval_conv(EvalCtx& ctx) {
    const bool last = channels_last(ctx);
    const SpatialIn<float> data(ctx.need(0), last);
    const Rounded x = rounded({data.data(), static_cast<size_t>(count_of(data.dims()))}, data.dims()[0]);
    Dims w_dims = ctx.need(1).dims, y_dims;
    auto w = weights(ctx);
    if (last) {
        const Dims first = to_channels_first(w_dims);
        std::vector<int32_t> moved(w.size());
        swap_axes(w.data(), moved.data(), first[0], count_of(space_of(first)), first[1]);
        w = std::move(moved);
        w_dims = first;
    }
    const auto sums = integer_conv<int32_t>(ctx, data.dims(), x.codes, w_dims, w, y_dims);
    const auto y = reals(ctx, sums, x, static_cast<size_t>(y_dims[1]), static_cast<size_t>(count_of(space_of(y_dims))));
    SpatialOut<float> out(ctx, 0, DType::f32, y_dims, last);
    std::copy(y.begin(), y.end(), out.data());
}

void eval_gemm(EvalCtx& ctx) {
    const Dims &a = ctx.need(0).dims, &b = ctx.need(1).dims;  // [N, K], [M, K]
    const Numbers<float> data(ctx.need(0));
    const Rounded x = rounded(data.span(), a[0]);
    std::vector<int32_t> w = weights(ctx), turned(w.size());
    swap_axes(w.data(), turned.data(), 1, b[0], b[1]);
    const ProductShape shape = product_shape(a, {b[1], b[0]});
    const auto y = reals(ctx, integer_matmul<int32_t>(shape, x.codes, turned), x, static_cast<size_t>(b[0]), 1);
    ctx.give(0, Tensor::make<float>(shape.out, y));
}

// One scale for all weights: with several, the reference kernels round the activations another way.
bool takes_weights(const Graph& graph, const Node& node, const Encoding&) {
    const Value &x = graph.value(node.in[0]), &w = graph.value(node.in[1]);
    const bool bias = node.in.size() > 2 && node.in[2] != ValueId::none;
    return !x.enc && x.type.dtype == DType::f32 && !x.constant() && w.constant() && integer_grid(w.enc) && w.enc->storage == DType::i8 &&
           (!bias || (!graph.value(node.in[2]).enc && graph.value(node.in[2]).type.shape.ranked &&
                      graph.value(node.in[2]).type.shape.rank() == 1)) &&
           !node.attrs.contains(asymmetric_key);
}

bool takes_gemm(const Graph& graph, const Node& node, const Encoding& out) {
    const NodeView view(node);
    return takes_weights(graph, node, out) && view.real("alpha") == 1 && view.real("beta") == 1 && view.integer("transA") == 0 &&
           view.integer("transB") != 0;
}

constexpr std::array rows{
    ProfileRow{.op = "Conv", .takes = takes_weights, .eval = eval_conv, .real_result = true},
    ProfileRow{.op = "Gemm", .takes = takes_gemm, .eval = eval_gemm, .real_result = true},
};

}  // namespace

std::span<const ProfileRow> tflite_hybrid_rows() { return rows; }

}  // namespace quern
