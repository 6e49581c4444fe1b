#include "libcore/ops/integer/onnx_products.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/quantize_one.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/sum_codes.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/requantization.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

// Sums [outer, channels, inner] to the output of the node, each channel with its scale and bias.
struct Sums {
    Dims dims;
    size_t channels, inner;
};

// int32 sums are exact for 8-bit codes up to depth 2^16 (2^17 where one side is signed); wider codes take int64.
bool needs_wide_sums(EvalCtx& ctx) { return has_wide_products(*ctx.in_encoding(0), *ctx.in_encoding(1)); }

class Requantizer {
   public:
    Requantizer(EvalCtx& ctx, size_t bias_input, size_t channels)
        : ctx_(ctx),
          out_(ctx.out_encoding(0)),
          dynamic_(ctx.in_encoding(0)->is_dynamic() || ctx.in_encoding(1)->is_dynamic()),
          product_(product_scales(*ctx.in_encoding(0), *ctx.in_encoding(1))) {
        product_.resize(channels, product_[0]);
        if (!ctx.in(bias_input)) return;
        const Tensor& bias = ctx.need(bias_input);
        dynamic_ ? read_real_bias(bias, ctx.in_encoding(bias_input))
                 : void(bias_ = bias_codes(bias, ctx.in_encoding(bias_input), product_, channels, needs_wide_sums(ctx)));
    }

    template <class Acc>
    void write(const std::vector<Acc>& acc, const Sums& sums) {
        if (dynamic_)
            write_dynamic(acc, sums);
        else if (out_)
            write_codes(acc, sums);
        else
            write_reals(acc, sums);
    }

   private:
    void read_real_bias(const Tensor& bias, const Encoding* encoding) {
        if (const auto count = static_cast<size_t>(bias.count()); count != 1 && count != product_.size())
            throw bad_input("bias is {}, need {} numbers", to_string(bias.dims), product_.size());
        real_bias_ = to_floats(encoding ? dequantize(bias, *encoding) : bias);
        if (!real_bias_.empty()) real_bias_.resize(product_.size(), real_bias_[0]);
    }

    template <class Acc>
    int64_t sum_at(const std::vector<Acc>& acc, size_t i, size_t channel) const {
        return static_cast<Acc>(acc[i] + static_cast<Acc>(bias_.empty() ? 0 : bias_[channel]));
    }

    template <class Acc>
    void write_reals(const std::vector<Acc>& acc, const Sums& sums) {
        const auto out = ctx_.out_as<float>(0, sums.dims);
        for (size_t i = 0; i < out.size(); ++i) {
            const size_t channel = i / sums.inner % sums.channels;
            out[i] = static_cast<float>(sum_at(acc, i, channel)) * product_[channel];
        }
    }

    template <class Acc>
    void write_dynamic(const std::vector<Acc>& acc, const Sums& sums) {
        std::vector<float> real(acc.size());
        for (size_t i = 0; i < real.size(); ++i) {
            const size_t channel = i / sums.inner % sums.channels;
            real[i] = static_cast<float>(acc[i]) * product_[channel];
            if (!real_bias_.empty()) real[i] += real_bias_[channel];
        }
        const Tensor y = Tensor::make<float>(sums.dims, real);
        ctx_.give(0, out_ ? quantize(y, *out_) : y);
    }

    template <class Acc>
    void write_codes(const std::vector<Acc>& acc, const Sums& sums) {
        const auto zero = static_cast<int32_t>(zeros_of(*out_)[0]), low = static_cast<int32_t>(out_->qmin),
                   high = static_cast<int32_t>(std::min<int64_t>(out_->qmax, INT32_MAX));
        const std::vector<float> factor = requantization_factors(product_, *out_);
        NumbersOut<int64_t> out(ctx_, 0, out_->storage, sums.dims);
        for (size_t i = 0; i < out.size(); ++i) {
            const size_t channel = i / sums.inner % sums.channels;
            out[i] = ::quantize_one(static_cast<float>(sum_at(acc, i, channel)) * factor[channel], zero, low, high);
        }
    }

    EvalCtx& ctx_;
    const Encoding* out_;
    bool dynamic_;  // the sum becomes real before anything else happens to it
    std::vector<float> product_;
    std::vector<int64_t> bias_;
    std::vector<float> real_bias_;
};

template <class Acc>
void conv(EvalCtx& ctx) {
    const bool last = channels_last(ctx);
    Sums sums{};
    const auto acc =
        integer_conv<Acc>(ctx, ctx.need(0).dims, centered_input(ctx, 0), ctx.need(1).dims, centered_input(ctx, 1), sums.dims, last);
    sums.channels = static_cast<size_t>(last ? sums.dims.back() : sums.dims[1]);
    sums.inner = last ? 1 : static_cast<size_t>(count_of(space_of(sums.dims)));
    Requantizer(ctx, 2, sums.channels).write(acc, sums);
}

template <class Acc>
void product(EvalCtx& ctx, const ProductShape& shape, const MatrixOperands& sides, size_t bias) {
    const auto acc = integer_matmul<Acc>(shape, sides.a, sides.b, sides.b_transposed);
    const bool by_channel = ctx.in_encoding(1)->per_channel();
    const size_t channels = by_channel || ctx.in(bias) ? static_cast<size_t>(shape.n) : 1;
    Requantizer(ctx, bias, channels).write(acc, {shape.out, channels, 1});
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
constexpr std::array rows{
    ProfileRow{.op = ops::Conv, .takes = takes_product, .eval = eval_conv, .unit = true, .result = any, .sums = onnx_sum_codes},
    ProfileRow{.op = ops::MatMul, .takes = takes_product, .eval = eval_matrix, .unit = true, .result = any, .sums = onnx_sum_codes},
    ProfileRow{.op = ops::Gemm, .takes = takes_product, .eval = eval_matrix, .unit = true, .result = any, .sums = onnx_sum_codes},
};

}  // namespace

std::span<const ProfileRow> onnx_product_rows() { return rows; }

}  // namespace quern
