#include "libcore/kernels/codes/product_site.h"

#include <algorithm>

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"

namespace quern::codes {
namespace {

// Scales of the weights.
size_t channels_of(const Site& site) {
    const Encoding& w = encoding_at(site, 1);
    return w.scale.defined() ? static_cast<size_t>(std::max<int64_t>(w.scale.count(), 1)) : 1;
}

// As unsigned numbers have it.
int64_t unsigned_zero(const Site& site, size_t i) { return encoding_at(site, i).zero_at() + bias_of(encoding_at(site, i).storage); }

}  // namespace

size_t parts_of(const Site& site, size_t i) { return static_cast<size_t>(bits_of(encoding_at(site, i).storage)) / 8; }

std::vector<uint8_t> zero_parts(const Site& site, size_t i) {
    std::vector<uint8_t> parts;
    for (size_t a = 0; a < parts_of(site, i); ++a) parts.push_back(static_cast<uint8_t>(unsigned_zero(site, i) >> 8 * a));
    return parts;
}

bool is_joined(const Site& site) { return parts_of(site, 0) > 1 || parts_of(site, 1) > 1 || bits_of(site.result->storage) > 8; }

std::string_view depth_obstacle(const Site& site, int64_t depth) {
    constexpr int64_t max = (int64_t{1} << 31) / (255 * 255);
    return is_joined(site) && depth > max ? "its depth is large" : "";
}

SumCodes sum_codes_of(const Site& site, size_t channels, bool with_bias) {
    const Node& node = site.first();
    const auto bias = with_bias && has_bias(site) ? site.graph.constant(node.in[2]) : std::nullopt;
    const auto& bias_encoding = has_bias(site) ? site.value(node.in[2]).enc : std::nullopt;
    return site.arithmetic->sums({node, encoding_at(site, 0), encoding_at(site, 1), *site.result, bias ? &*bias : nullptr,
                                  bias_encoding ? &*bias_encoding : nullptr, channels});
}

namespace {

WeightParts weights_of(const Site& site, const WeightLayout& layout, const std::byte* own) {
    if (!site.state.empty()) return {layout, site.state, parts_of(site, 1), is_joined(site)};
    const SumCodes codes = sum_codes_of(site, static_cast<size_t>(layout.groups * layout.columns), true);
    const Tensor weights = *site.graph.constant(site.first().in[1]);
    std::vector<int64_t> zeros = encoding_at(site, 1).zeros();
    if (zeros.empty()) zeros = {0};
    return {layout, parts_of(weights.dtype, own ? own : weights.data.data(), zeros), codes.bias, unsigned_zero(site, 0), is_joined(site)};
}

// One factor a column, where there are any.
template <class T>
void fill_columns(std::vector<T>& items, const WeightLayout& layout) {
    if (!items.empty()) items = layout.filled(std::span<const T>(items));
}

FinishParameters finish_of(const Site& site, const WeightLayout& layout) {
    SumCodes codes = sum_codes_of(site, static_cast<size_t>(layout.groups * layout.columns), false);
    fill_columns(codes.floats, layout);
    fill_columns(codes.fixed, layout);
    fill_columns(codes.doubles, layout);
    return {codes, *site.result, static_cast<size_t>(layout.filled_columns())};
}

// Of the data and the result.
std::string_view common_obstacle(const Site& site) {
    if (!site.arithmetic || !site.arithmetic->sums) return "has other arithmetic than products";
    const bool fits = code_bits(site.value(site.first().in[0]).enc) && code_bits(site.result);
    return fits ? "" : "its data and result are not in codes of 8 or 16 bits with one scale each";
}

}  // namespace

std::string_view product_obstacle(const Site& site) {
    if (const auto common = common_obstacle(site); !common.empty()) return common;
    const Node& node = site.first();
    const auto& w = site.value(node.in[1]).enc;
    if (!site.value(node.in[1]).constant() || !w || !w->is_fixed() || w->block > 0) return "the weights are not constant codes";
    if (!is_integer(w->storage) || (bits_of(w->storage) != 8 && bits_of(w->storage) != 16))
        return "the weights are not codes of 8 or 16 bits";
    if (has_bias(site) && !site.value(node.in[2]).constant()) return "the bias is not constant";
    return FinishParameters::obstacle(sum_codes_of(site, channels_of(site), false));
}

std::string_view computed_product_obstacle(const Site& site) {
    if (const auto common = common_obstacle(site); !common.empty()) return common;
    const auto& w = site.value(site.first().in[1]).enc;
    if (site.value(site.first().in[1]).constant()) return "the second operand is constant";
    if (has_bias(site)) return "has a bias beside a computed operand";
    if (!code_bits(w)) return "the second operand is not in codes of 8 or 16 bits with one scale";
    return FinishParameters::obstacle(sum_codes_of(site, 1, false));
}

ProductConstants::ProductConstants(const Site& site, const WeightLayout& layout, const std::byte* weights)
    : padding_(zero_parts(site, 0)),
      storage_(site.result->storage),
      weights_(weights_of(site, layout, weights)),
      finish_(finish_of(site, layout)) {
    weights_.give_biases(finish_);
    finish_.data_parts = static_cast<int>(padding_.size());
    held_.push_back(site.first().in[1]);
    if (has_bias(site)) held_.push_back(site.first().in[2]);
}

}  // namespace quern::codes
