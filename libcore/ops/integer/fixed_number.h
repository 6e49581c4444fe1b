// Signed fixed-point numbers of 16 or 32 bits, and the logistic function and tanh on them: gemmlowp's fixedpoint.h, operation for
// operation. Sums wrap, products and shifts saturate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace quern::fixed {

inline int32_t wrapping_add(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)); }
inline int32_t wrapping_sub(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b)); }

// Half of the bits of 2 * a * b, rounded to nearest; the one product that does not fit saturates.
template <class Raw>
inline Raw high_mul(Raw a, Raw b) {
    using Wide = std::conditional_t<sizeof(Raw) == 4, int64_t, int32_t>;
    constexpr int bits = static_cast<int>(sizeof(Raw)) * 8;
    if (a == b && a == std::numeric_limits<Raw>::min()) return std::numeric_limits<Raw>::max();
    const Wide product = static_cast<Wide>(a) * static_cast<Wide>(b);
    const Wide nudge = product >= 0 ? Wide{1} << (bits - 2) : 1 - (Wide{1} << (bits - 2));
    return static_cast<Raw>((product + nudge) / (Wide{1} << (bits - 1)));
}

// x / 2^exponent, ties away from zero.
template <class Raw>
inline Raw divide_by_power(Raw x, int exponent) {
    const int64_t mask = (int64_t{1} << exponent) - 1, rest = x & mask;
    return static_cast<Raw>((int64_t{x} >> exponent) + (rest > (mask >> 1) + (x < 0)));
}

// x * 2^exponent: saturating to the left, rounding to the right.
template <class Raw>
inline Raw scaled_by_power(Raw x, int exponent) {
    if (exponent <= 0) return exponent == 0 ? x : divide_by_power(x, -exponent);
    const int64_t limit = (int64_t{1} << (static_cast<int>(sizeof(Raw)) * 8 - 1 - exponent)) - 1;
    if (x > limit) return std::numeric_limits<Raw>::max();
    if (x < -limit) return std::numeric_limits<Raw>::min();
    return static_cast<Raw>(int64_t{x} * (int64_t{1} << exponent));
}

// A number of all bits of Raw, `integer` of them before the point.
template <class Raw, int integer>
struct Fixed {
    static constexpr int bits = static_cast<int>(sizeof(Raw)) * 8, fraction = bits - 1 - integer;
    Raw raw = 0;

    // Of a 32-bit constant.
    static Fixed constant(int32_t raw32) {
        if constexpr (sizeof(Raw) == 4) return {raw32};
        return {static_cast<Raw>(divide_by_power(raw32, 16))};
    }
    static Fixed one() {
        if constexpr (integer == 0) return {std::numeric_limits<Raw>::max()};
        return {static_cast<Raw>(int64_t{1} << fraction)};
    }
    template <int to>
    Fixed<Raw, to> rescaled() const {
        return {scaled_by_power(raw, integer - to)};
    }
};

template <class Raw, int a_bits, int b_bits>
Fixed<Raw, a_bits + b_bits> operator*(Fixed<Raw, a_bits> a, Fixed<Raw, b_bits> b) {
    return {high_mul(a.raw, b.raw)};
}
// 32-bit sums wrap, 16-bit ones as well: only constant + product saturates (see exp below).
template <class Raw, int integer>
Fixed<Raw, integer> operator+(Fixed<Raw, integer> a, Fixed<Raw, integer> b) {
    return {static_cast<Raw>(wrapping_add(a.raw, b.raw))};
}
template <class Raw, int integer>
Fixed<Raw, integer> operator-(Fixed<Raw, integer> a, Fixed<Raw, integer> b) {
    return {static_cast<Raw>(wrapping_sub(a.raw, b.raw))};
}

// exp(x) of -1/4 <= x < 0, by a polynomial around -1/8.
template <class Raw>
Fixed<Raw, 0> exp_of_quarter(Fixed<Raw, 0> a) {
    using F0 = Fixed<Raw, 0>;
    const F0 base = F0::constant(1895147668), third = F0::constant(715827883);
    const F0 x{static_cast<Raw>(a.raw + (int64_t{1} << (F0::fraction - 3)))};
    const F0 x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
    const F0 quarter{scaled_by_power(x4.raw, -2)};
    const F0 sum = (quarter + x3) * third + x2;
    const F0 product = base * (x + F0{scaled_by_power(sum.raw, -1)});
    if constexpr (sizeof(Raw) == 4) return base + product;
    return {
        static_cast<Raw>(std::clamp<int32_t>(base.raw + product.raw, std::numeric_limits<Raw>::min(), std::numeric_limits<Raw>::max()))};
}

// exp(x) of x <= 0: the rest below a quarter, then a factor for each bit above.
template <class Raw, int integer>
Fixed<Raw, 0> exp_of_negative(Fixed<Raw, integer> a) {
    using F0 = Fixed<Raw, 0>;
    constexpr int fraction = Fixed<Raw, integer>::fraction;
    constexpr int64_t quarter = int64_t{1} << (fraction - 2);
    if (a.raw == 0) return F0::one();
    const auto below = static_cast<Raw>((a.raw & (quarter - 1)) - quarter);
    F0 result = exp_of_quarter(Fixed<Raw, integer>{below}.template rescaled<0>());
    const int32_t rest = wrapping_sub(below, a.raw);
    constexpr int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    for (int i = 0; i < 7; ++i) {
        const int exponent = i - 2;
        if (integer > exponent && ((rest >> (fraction + exponent)) & 1)) result = result * F0::constant(factors[i]);
    }
    if constexpr (integer > 5)
        if (a.raw < -(int64_t{1} << (36 - integer))) return {0};
    return result;
}

// 2 / (1 + x) by Newton's method, three steps, of 0 <= x <= 1.
template <class Raw>
Fixed<Raw, 2> double_reciprocal_of_one_plus(Fixed<Raw, 0> a) {
    using F0 = Fixed<Raw, 0>;
    using F2 = Fixed<Raw, 2>;
    const int64_t sum = int64_t{a.raw} + F0::one().raw;
    const F0 half{static_cast<Raw>((sum + (sum >= 0 ? 1 : -1)) / 2)};
    F2 x = F2::constant(1515870810) + half * F2::constant(-1010580540);
    for (int i = 0; i < 3; ++i) {
        const F2 rest = F2::one() - half * x;
        x = x + (x * rest).template rescaled<2>();
    }
    return x;
}

template <class Raw>
Fixed<Raw, 0> reciprocal_of_one_plus(Fixed<Raw, 0> a) {
    return Fixed<Raw, 1>{double_reciprocal_of_one_plus(a).raw}.template rescaled<0>();
}

template <class Raw, int integer>
Fixed<Raw, 0> logistic(Fixed<Raw, integer> a) {
    using F0 = Fixed<Raw, 0>;
    if (a.raw == 0) return {static_cast<Raw>(int64_t{1} << (F0::fraction - 1))};
    const Fixed<Raw, integer> negative{static_cast<Raw>(a.raw > 0 ? wrapping_sub(0, a.raw) : a.raw)};
    const F0 positive = reciprocal_of_one_plus(exp_of_negative(negative));
    return a.raw > 0 ? positive : F0::one() - positive;
}

template <class Raw, int integer>
Fixed<Raw, 0> tanh(Fixed<Raw, integer> a) {
    using F2 = Fixed<Raw, 2>;
    if (a.raw == 0) return {0};
    const Fixed<Raw, integer + 1> twice{static_cast<Raw>(a.raw > 0 ? wrapping_sub(0, a.raw) : a.raw)};
    const auto size = (double_reciprocal_of_one_plus(exp_of_negative(twice)) - F2::one()).template rescaled<0>();
    return a.raw > 0 ? size : Fixed<Raw, 0>{static_cast<Raw>(wrapping_sub(0, size.raw))};
}

}  // namespace quern::fixed
