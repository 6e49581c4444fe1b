#include "libcore/ops/integer/fixed_point.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_number.h"

namespace quern {
namespace {

constexpr int32_t greatest = std::numeric_limits<int32_t>::max(), least = std::numeric_limits<int32_t>::min();

// exp on [-1/4, 0): its Taylor series around -1/8 to the fourth power. Fractions of 2^31.
int32_t exp_near_zero(int32_t a) {
    constexpr int32_t exp_of_middle = 1895147668, third = 715827883, eighth = 1 << 28;
    const int32_t x = narrow(int64_t{a} + eighth);
    const int32_t x2 = doubling_high_product(x, x), x3 = doubling_high_product(x2, x), x4 = doubling_high_product(x2, x2);
    const int32_t cubic = doubling_high_product(narrow(int64_t{rounded_shift(x4, 2)} + x3), third);
    const int32_t tail = rounded_shift(narrow(int64_t{cubic} + x2), 1);
    return narrow(int64_t{exp_of_middle} + doubling_high_product(exp_of_middle, narrow(int64_t{x} + tail)));
}

}  // namespace

int32_t doubling_high_product(int32_t a, int32_t b) {
    if (a == least && b == least) return greatest;
    const int64_t product = int64_t{a} * b;
    const int64_t nudge = product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
    return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

int32_t rounded_shift(int32_t x, int exponent) {
    const int64_t mask = (int64_t{1} << exponent) - 1;
    const int64_t rest = x & mask, threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (exponent > 31 ? (x < 0 ? -1 : 0) : static_cast<int32_t>(int64_t{x} >> exponent)) + (rest > threshold ? 1 : 0);
}

int32_t saturated_shift(int32_t x, int exponent) {
    const int64_t wide = int64_t{x} * (int64_t{1} << exponent);
    return static_cast<int32_t>(std::clamp<int64_t>(wide, least, greatest));
}

FixedFactor FixedFactor::of(double real) {
    if (!(real > 0)) return {};
    FixedFactor out;
    const double fraction = std::frexp(real, &out.shift);
    auto rounded = static_cast<int64_t>(std::round(fraction * (int64_t{1} << 31)));
    if (rounded == int64_t{1} << 31) {
        rounded /= 2;
        ++out.shift;
    }
    if (out.shift < -31) return {};
    if (out.shift > 30) return {greatest, 30};
    out.factor = static_cast<int32_t>(rounded);
    return out;
}

int32_t FixedFactor::times(int32_t x) const {
    const int left = std::max(shift, 0), right = std::max(-shift, 0);
    return rounded_shift(doubling_high_product(narrow(int64_t{x} * (int64_t{1} << left)), factor), right);
}

int32_t FixedFactor::times_wide(int64_t x) const {
    const int64_t short_factor = factor < 0x7fff0000 ? (factor + (1 << 15)) >> 16 : 0x7fff;
    const int total = 15 - shift;
    if (total < 1) return narrow(x * short_factor * (int64_t{1} << -total));
    return narrow((x * short_factor + (int64_t{1} << (total - 1))) >> total);
}

int32_t exp_of_negative(int32_t x) {
    constexpr int fraction = 26;
    constexpr int32_t quarter = 1 << (fraction - 2);
    // exp(-2^k) for k = -2 ... 4: the whole quarters of x are made up of these.
    constexpr std::array<int32_t, 7> powers{1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    if (x == 0) return greatest;
    const int32_t part = (x & (quarter - 1)) - quarter;
    int32_t result = exp_near_zero(saturated_shift(part, 31 - fraction));
    const int32_t rest = narrow(int64_t{part} - x);
    for (size_t i = 0; i < powers.size(); ++i)
        if (rest & (1 << (fraction - 2 + static_cast<int>(i)))) result = doubling_high_product(result, powers[i]);
    return result;
}

// Newton's method from 48/17 - 32/17 * d, d = (1 + x) / 2, with 29 fractional bits.
int32_t reciprocal_of_one_plus(int32_t x) {
    constexpr int32_t a = 1515870810, b = -1010580540, one = 1 << 29;
    const int64_t sum = int64_t{x} + greatest;
    const auto half = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
    int32_t y = narrow(int64_t{a} + doubling_high_product(half, b));
    for (int round = 0; round < 3; ++round) {
        const int32_t error = narrow(int64_t{one} - doubling_high_product(half, y));
        y = narrow(int64_t{y} + saturated_shift(doubling_high_product(y, error), 2));
    }
    return saturated_shift(y, 1);
}

// Newton's method from 1, five steps, on x brought between 2^27 and 2^29 by a power of four.
FixedFactor inverse_root(int32_t x) {
    using F0 = fixed::Fixed<int32_t, 0>;
    using F3 = fixed::Fixed<int32_t, 3>;
    if (x <= 1) return {greatest, 0};
    int right = 11;
    for (; x >= 1 << 29; ++right) x /= 4;
    const int pairs = (std::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
    const F3 input{(x << (2 * pairs)) >> 1}, half{fixed::divide_by_power(input.raw, 1)}, three_halves{(1 << 28) + (1 << 27)};
    right -= pairs;
    F3 y = F3::one();
    for (int round = 0; round < 5; ++round) y = (three_halves * y - half * (y * y * y).rescaled<3>()).rescaled<3>();
    const int32_t root = (y * F0{1518500250}).raw;  // sqrt(1/2)
    return right < 0 ? FixedFactor{narrow(int64_t{root} * (int64_t{1} << -right)), 0} : FixedFactor{root, -right};
}

}  // namespace quern
