#include "libcore/kernels/codes/real_product.h"

#include <algorithm>

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/requantization.h"

namespace quern::codes {
namespace {

// One item for each filled column.
template <class T>
std::vector<T> filled(const std::vector<T>& items, const WeightLayout& layout) {
    std::vector<T> all(static_cast<size_t>(layout.filled_columns()), T{});
    for (int64_t i = 0; i < layout.groups * layout.columns; ++i)
        all[static_cast<size_t>(layout.place_of(i))] = items[items.size() == 1 ? 0 : static_cast<size_t>(i)];
    return all;
}

std::optional<uint8_t> fixed_zero(const Site& site) {
    const Encoding& x = encoding_at(site, 0);
    if (x.is_dynamic()) return std::nullopt;
    return static_cast<uint8_t>(x.zero_at() + bias_of(x.storage));
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
    const Encoding& own = encoding_at(site, 1);
    const Tensor codes = *site.graph.constant(site.first().in[1]);
    const PlainWeights plain{codes.data.data(), own.storage == DType::i8, own.zeros()};
    const auto zero = fixed_zero(site);
    if (!zero) return {layout, plain};
    return {layout, plain, fixed_bias(site, static_cast<size_t>(layout.groups * layout.columns)), *zero};
}

RealsParameters reals_of(const Site& site, const WeightLayout& layout) {
    RealsParameters reals;
    reals.scales = filled(
        fixed_zero(site) ? product_scales(encoding_at(site, 0), encoding_at(site, 1)) : to_floats(encoding_at(site, 1).scale), layout);
    return reals;
}

}  // namespace

std::string_view real_product_obstacle(const Site& site) {
    const Node& node = site.first();
    const auto &x = site.value(node.in[0]).enc, &w = site.value(node.in[1]).enc;
    const auto is_byte = [](const Encoding& e) { return e.storage == DType::i8 || e.storage == DType::u8; };
    if (!computes_as_onnx(site) || !site.arithmetic->sums) return "has other arithmetic than products";
    if (!x || x->block > 0 || !is_byte(*x) || site.result) return "is not 8-bit codes with a real result";
    if (!x->is_dynamic() && !is_byte_codes(x)) return "the data have more than one scale";
    if (!x->is_dynamic() && has_bias(site) && !site.value(node.in[2]).constant()) return "the bias is not constant";
    if (!site.value(node.in[1]).constant() || !w || !w->is_fixed() || w->block > 0 || !is_byte(*w))
        return "the weights are not constant 8-bit codes";
    return "";
}

RealConstants::RealConstants(const Site& site, const WeightLayout& layout)
    : zero_(fixed_zero(site)), weights_(packed_weights(site, layout)), reals_(reals_of(site, layout)), held_{site.first().in[1]} {
    reals_.column_sums = weights_.bias();
    if (zero_ && has_bias(site)) held_.push_back(site.first().in[2]);
}

RealsParameters RealConstants::reals(KernelCtx& ctx) const {
    RealsParameters all = reals_;
    const Tensor* bias = is_dynamic() ? ctx.in(2) : nullptr;
    if (!bias) return all;
    const WeightLayout& layout = weights_.layout();
    if (bias->count() != 1 && bias->count() != layout.groups * layout.columns)
        throw bad_input("bias is {}, need {} numbers", to_string(bias->dims), layout.groups * layout.columns);
    const Encoding* encoding = ctx.encoding(2);
    all.bias = filled(to_floats(encoding ? dequantize(*bias, *encoding) : *bias), layout);
    return all;
}

Slice RealConstants::slice(KernelCtx& ctx) const {
    if (zero_) return {1.0f, -1};  // the sums with the biases, which the weights have for column sums
    const Encoding& grid = *ctx.encoding(0);
    return {to_floats(grid.scale)[0], static_cast<int32_t>(grid.zero_at()) + bias_of(grid.storage)};
}

uint8_t RealConstants::padding(KernelCtx& ctx) const { return zero_ ? *zero_ : static_cast<uint8_t>(slice(ctx).zero); }

}  // namespace quern::codes
