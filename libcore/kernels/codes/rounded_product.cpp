#include "libcore/kernels/codes/rounded_product.h"

#include <algorithm>

#include "libcore/graph/quantize.h"
#include "libcore/kernels/channels_last.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/requantization.h"

namespace quern::codes {
namespace {

std::optional<uint8_t> fixed_zero(const Site& site) {
    const auto& x = site.value(site.first().in[0]).enc;
    if (!x || x->is_dynamic()) return std::nullopt;
    return static_cast<uint8_t>(x->zero_at() + bias_of(x->storage));
}

// In codes at the scales of the sums.
std::vector<int64_t> fixed_bias(const Site& site, size_t columns) {
    if (!has_bias(site)) return {};
    const auto& encoding = site.value(site.first().in[2]).enc;
    std::vector<float> scales = product_scales(encoding_at(site, 0), encoding_at(site, 1));
    scales.resize(columns, scales[0]);
    return bias_codes(*site.graph.constant(site.first().in[2]), encoding ? &*encoding : nullptr, scales, columns, false);
}

Weights packed_weights(const Site& site, const WeightLayout& layout) {
    if (!site.state.empty()) return {layout, site.state};
    Tensor codes = *site.graph.constant(site.first().in[1]);
    if (bits_of(codes.dtype) < 8) codes = from_ints(DType::i8, codes.dims, to_ints(codes));
    const PlainWeights plain{codes.data.data(), codes.dtype == DType::i8, encoding_at(site, 1).zeros()};
    const auto zero = fixed_zero(site);
    if (!zero) return {layout, plain};
    return {layout, plain, fixed_bias(site, static_cast<size_t>(layout.groups * layout.columns)), *zero};
}

std::optional<HybridRounding> rounding_of(const Site& site) {
    const Value& weights = site.value(site.first().in[1]);
    if (site.value(site.first().in[0]).enc || !weights.enc || !site.arithmetic) return std::nullopt;
    return hybrid_rounding(*site.arithmetic, site.first(), *weights.enc, *weights.type.shape.concrete());
}

bool is_byte(const Encoding& e) { return e.storage == DType::i8 || e.storage == DType::u8; }

}  // namespace

RoundedData rounded_slices(const float* x, int64_t count, int64_t slices, bool symmetric, Memory& memory, ThreadPool& pool) {
    const Buffer out = memory.take(static_cast<size_t>(count));
    auto* bytes = reinterpret_cast<uint8_t*>(out.data.get());
    RoundedData data{out.data, bytes, std::vector<Slice>(static_cast<size_t>(slices)), {}};
    const auto length = static_cast<size_t>(count / std::max<int64_t>(slices, 1));
    constexpr size_t grain = 1 << 13;  // numbers worth a task
    pool.run_ranges(data.slices.size(), grain / (length + 1) + 1, [&](size_t begin, size_t end) {
        std::vector<int32_t> codes(length);
        for (size_t s = begin; s < end; ++s) {
            Slice& slice = data.slices[s];
            slice.scale = round_slice({x + s * length, length}, codes, symmetric);
            slice.zero = 0;
            for (const int32_t code : codes) slice.zero = std::max(slice.zero, -code);
            for (size_t i = 0; i < length; ++i) bytes[s * length + i] = static_cast<uint8_t>(codes[i] + slice.zero);
        }
    });
    return data;
}

std::string_view real_product_obstacle(const Site& site) {
    const Node& node = site.first();
    const auto &x = site.value(node.in[0]).enc, &w = site.value(node.in[1]).enc;
    if (!site.value(node.in[1]).constant() || !w || !w->is_fixed() || w->block > 0) return "the weights are not constant codes";
    if (rounding_of(site)) return "";
    if (!computes_as_onnx(site) || !site.arithmetic->sums) return "has other arithmetic than products";
    if (!x || x->block > 0 || !is_byte(*x) || site.result) return "is not 8-bit codes with a real result";
    if (!x->is_dynamic() && !is_byte_codes(x)) return "the data have more than one scale";
    if (!x->is_dynamic() && has_bias(site) && !site.value(node.in[2]).constant()) return "the bias is not constant";
    return is_byte(*w) ? "" : "the weights are not 8-bit codes";
}

RoundedProduct::RoundedProduct(const Site& site, const WeightLayout& layout)
    : hybrid_(rounding_of(site)), zero_(fixed_zero(site)), weights_(packed_weights(site, layout)), held_{site.first().in[1]} {
    reals_.column_sums = weights_.bias();
    const Encoding& own = encoding_at(site, 1);
    const std::vector<float> scales = zero_ ? product_scales(encoding_at(site, 0), own) : to_floats(own.scale);
    reals_.scales = layout.filled(std::span(scales));
    if (zero_ && has_bias(site)) held_.push_back(site.first().in[2]);
    reals_.column_first = hybrid_ && hybrid_->channel_first;
}

RoundedData RoundedProduct::data(KernelCtx& ctx, int64_t slices, bool moved) const {
    if (!hybrid_) {
        const CodesIn x = codes_in(ctx, 0, moved);
        if (zero_) return {x.owner, x.data, {{1.0f, -1}}, zero_};  // the sums with the biases, which the weights have for column sums
        const Encoding& grid = *ctx.encoding(0);
        return {x.owner, x.data, {{to_floats(grid.scale)[0], static_cast<int32_t>(grid.zero_at()) + bias_of(grid.storage)}}, {}};
    }
    const int64_t count = count_of(dims_of(ctx, 0));
    if (!moved) return rounded_slices(ctx.in(0)->view<float>().data(), count, slices, hybrid_->symmetric, ctx.memory(), ctx.pool());
    const LastSource x = channels_last_source(ctx, 0, false);
    return rounded_slices(x.data, count, slices, hybrid_->symmetric, ctx.memory(), ctx.pool());
}

RealsParameters RoundedProduct::reals(KernelCtx& ctx) const {
    RealsParameters all = reals_;
    const Tensor* bias = zero_ ? nullptr : ctx.in(2);
    if (!bias) return all;
    const WeightLayout& layout = weights_.layout();
    const int64_t columns = layout.groups * layout.columns;
    if (bias->count() != columns && (hybrid_ || bias->count() != 1))
        throw bad_input("bias is {}, need {} numbers", to_string(bias->dims), columns);
    const Encoding* encoding = ctx.encoding(2);
    const std::vector<float> numbers = to_floats(encoding ? dequantize(*bias, *encoding) : *bias);
    all.bias = layout.filled(std::span(numbers));
    return all;
}

}  // namespace quern::codes
