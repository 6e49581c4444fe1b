#include "libcore/ops/integer/parameters.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/table16.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

int32_t zero_of(const Encoding& e) { return narrow(e.zero_at()); }

// Zero point and limits of the result, which all have.
template <class T>
T with_result(T t, const Encoding& y) {
    t.zero = zero_of(y);
    t.low = narrow(y.qmin);
    t.high = narrow(y.qmax);
    return t;
}

// Of operands that are brought to twice the greater scale; `common` gets it.
sum_t at_common_scale(const Encoding& a, const Encoding& b, double& common) {
    common = static_cast<double>(2 * std::max(scale_of(a), scale_of(b)));
    const FixedFactor left = FixedFactor::of(static_cast<double>(scale_of(a)) / common),
                      right = FixedFactor::of(static_cast<double>(scale_of(b)) / common);
    sum_t t{};
    t.a_zero = zero_of(a), t.a_factor = left.factor, t.a_shift = left.shift;
    t.b_zero = zero_of(b), t.b_factor = right.factor, t.b_shift = right.shift;
    return t;
}

multiply_t by_factor(const Encoding& a, const Encoding& b, const Encoding& y, float real) {
    const FixedFactor factor = FixedFactor::of(static_cast<double>(real));
    return with_result(multiply_t{zero_of(a), zero_of(b), factor.factor, factor.shift, 0, 0, 0}, y);
}

rescale_t rescale(const Encoding& x, const Encoding& y, double real) {
    const FixedFactor factor = FixedFactor::of(real);
    return with_result(rescale_t{zero_of(x), factor.factor, factor.shift, 0, 0, 0}, y);
}

// All codes of the storage, whatever an activation lets pass.
rescale_t over_storage(rescale_t t, const Encoding& y) {
    const auto [low, high] = int_range(y.storage);
    t.low = narrow(low);
    t.high = narrow(high);
    return t;
}

int power_of(const Encoding& e) {
    int exponent = 0;
    is_power_of_two(scale_of(e), exponent);
    return exponent;
}

}  // namespace

sum_t sum_parameters(const Encoding& a, const Encoding& b, const Encoding& y, int sign) {
    double common = 0;
    sum_t t = at_common_scale(a, b, common);
    t.bits = bits_of(y.storage) > 8 ? 15 : 20;
    t.sign = sign;
    const FixedFactor out = FixedFactor::of(common / static_cast<double>(static_cast<float>(1 << t.bits) * scale_of(y)));
    t.factor = out.factor, t.shift = out.shift;
    return with_result(t, y);
}

sum_t squared_difference_parameters(const Encoding& a, const Encoding& b, const Encoding& y, int bits) {
    double common = 0;
    sum_t t = at_common_scale(a, b, common);
    t.bits = bits;
    t.sign = -1;
    const FixedFactor out = FixedFactor::of(common * common / static_cast<double>(static_cast<float>(1 << (2 * bits)) * scale_of(y)));
    t.factor = out.factor, t.shift = out.shift;
    return with_result(t, y);
}

sum_t sum_of_powers_parameters(const Encoding& a, const Encoding& b, const Encoding& y, int sign) {
    sum_t t{};
    t.a_zero = zero_of(a), t.a_shift = power_of(y) - power_of(a);
    t.b_zero = zero_of(b), t.b_shift = power_of(y) - power_of(b);
    t.sign = sign;
    return with_result(t, y);
}

multiply_t product_parameters(const Encoding& a, const Encoding& b, const Encoding& y) {
    return by_factor(a, b, y, scale_of(a) * scale_of(b) / scale_of(y));
}

multiply_t quotient_parameters(const Encoding& a, const Encoding& b, const Encoding& y) {
    return by_factor(a, b, y, scale_of(a) / (scale_of(b) * scale_of(y)));
}

compare_t compare_parameters(const Encoding& a, const Encoding& b, bool equality) {
    const FixedFactor left = FixedFactor::of(static_cast<double>(scale_of(a))), right = FixedFactor::of(static_cast<double>(scale_of(b)));
    const bool plain = a.storage == DType::i16 && !equality;  // the order of 16-bit codes is that of the codes, whatever their scales are
    return {zero_of(a), left.factor, left.shift, zero_of(b), right.factor, right.shift, plain ? 1 : 0};
}

slope_t slope_parameters(const Encoding& x, const Encoding& slope, const Encoding& y) {
    const FixedFactor above = FixedFactor::of(static_cast<double>(scale_of(x) / scale_of(y))),
                      below = FixedFactor::of(static_cast<double>(scale_of(x) * scale_of(slope) / scale_of(y)));
    return with_result(slope_t{zero_of(x), zero_of(slope), above.factor, above.shift, below.factor, below.shift, 0, 0, 0}, y);
}

leaky_t leaky_parameters(const Encoding& x, const Encoding& y, float alpha) {
    const FixedFactor above = FixedFactor::of(static_cast<double>(scale_of(x) / scale_of(y))),
                      below = FixedFactor::of(static_cast<double>(scale_of(x) * alpha / scale_of(y)));
    return with_result(leaky_t{zero_of(x), above.factor, above.shift, below.factor, below.shift, 0, 0, 0}, y);
}

rescale_t size_parameters(const Encoding& x, const Encoding& y) { return rescale(x, y, static_cast<double>(scale_of(x) / scale_of(y))); }

rescale_t recode_parameters(const Encoding& x, const Encoding& y) {
    return rescale(x, y, static_cast<double>(scale_of(x)) / static_cast<double>(scale_of(y)));
}

rescale_t bounded_parameters(const Encoding& x, const Encoding& y, std::optional<float> min, std::optional<float> max) {
    rescale_t t = size_parameters(x, y);
    const auto range = int_range(y.storage);
    const auto code_of = [&](float bound) {
        return std::clamp(static_cast<int64_t>(std::round(bound / scale_of(y))) + y.zero_at(), range.min, range.max);
    };
    const int64_t high = max ? code_of(*max) : range.max, low = min ? code_of(*min) : range.min;
    t.low = narrow(std::min(low, high));
    t.high = narrow(high);
    return t;
}

rescale_t mean_parameters(const Encoding& x, const Encoding& y, int64_t count) {
    rescale_t t = recode_parameters(x, y);
    const int shift = std::min({63 - std::countl_zero(static_cast<uint64_t>(count)), 32, 31 + t.shift});
    t.factor = static_cast<int32_t>((int64_t{t.factor} << shift) / count);
    t.shift -= shift;
    return over_storage(t, y);
}

rescale_t product_along_parameters(const Encoding& x, const Encoding& y, int64_t count) {
    const double root = portable::pow(static_cast<double>(scale_of(y)), 1.0 / static_cast<double>(count));
    return over_storage(rescale(x, y, static_cast<double>(scale_of(x)) / root), y);
}

normalize_t normalize_parameters(const Encoding& x, const Encoding& y) {
    const bool is_signed = y.storage == DType::i8;
    return with_result(normalize_t{zero_of(x), is_signed ? 1 : 128, is_signed ? 7 : 0, 0, 0, 0}, y);
}

// ---- softmax ---------------------------------------------------------------------------------------------------------------------

softmax_t softmax_parameters(const Encoding& x, const Encoding& y, float beta) {
    constexpr int integer_bits = 5, sum_bits = 12;
    const double scale = static_cast<double>(beta) * static_cast<double>(scale_of(x)) * (1 << (31 - integer_bits));
    const FixedFactor factor = FixedFactor::of(std::min(scale, static_cast<double>((int64_t{1} << 31) - 1)));
    const double reach = std::floor(((1 << integer_bits) - 1) * static_cast<double>(int64_t{1} << (31 - integer_bits)) /
                                    static_cast<double>(int64_t{1} << factor.shift));
    const auto [low, high] = int_range(y.storage);
    return {factor.factor, factor.shift, static_cast<int32_t>(reach), sum_bits + 31 - bits_of(y.storage), narrow(low), narrow(high)};
}

FixedFactor softmax_factor_16(const Encoding& x, float beta, bool micro) {
    const double scale = micro ? static_cast<double>(scale_of(x)) * static_cast<double>(beta) : static_cast<double>(scale_of(x) * beta);
    return FixedFactor::of(scale / (10.0 / 65535.0));
}

namespace {

template <class Real>
const Table16& exponentials() {
    static const Table16 table(10 / Real{65535}, 32767, 2 / Real{65535}, [](Real x) { return portable::exp(x); });
    return table;
}
template <class Real>
const Table16& reciprocals() {
    static const Table16 table(1 / Real{65535}, -32768, 2 / Real{65535}, [](Real x) { return 1 / (1 + x); });
    return table;
}

}  // namespace

std::span<const int16_t> softmax_exponentials(bool micro) { return (micro ? exponentials<float>() : exponentials<double>()).items(); }
std::span<const int16_t> softmax_reciprocals(bool micro) { return (micro ? reciprocals<float>() : reciprocals<double>()).items(); }

}  // namespace quern
