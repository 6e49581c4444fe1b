// Functions of real numbers that give the same bits on every processor with IEEE arithmetic: no library call, no contraction. The reference
// rows of float32 and the C generated from integer models compute with them (kernels_number.cpp has them as C). In double, rounded once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace quern::portable {

// exp(x) of |x| < 700: x = n ln 2 + r, ln 2 in two parts; the Taylor series of exp(r), |r| <= ln 2 / 2, is within 1e-11.
inline double wide_exp(double x) {
    const double steps = x * 1.4426950408889634;
    const auto n = static_cast<int32_t>(steps < 0 ? steps - 0.5 : steps + 0.5);
    const double r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10, r2 = r * r, r4 = r2 * r2;
    const double low = (1.0 + r) + (1.0 / 2 + r * (1.0 / 6)) * r2;
    const double high = (1.0 / 24 + r * (1.0 / 120)) + (1.0 / 720 + r * (1.0 / 5040)) * r2;
    const double series = (low + high * r4) + (1.0 / 40320 + r * (1.0 / 362880)) * (r4 * r4);
    return series * std::bit_cast<double>(static_cast<uint64_t>(n + 1023) << 52);
}

inline float exp(float x) {
    if (x != x) return x;
    if (x > 89.0f) return std::numeric_limits<float>::infinity();
    if (x < -104.0f) return 0.0f;
    return static_cast<float>(wide_exp(static_cast<double>(x)));
}

inline float sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }

inline float tanh(float x) {
    const double wide = static_cast<double>(x);
    if (x != x || (x < 1e-3f && x > -1e-3f)) return static_cast<float>(wide * (1.0 - wide * wide * (1.0 / 3)));
    if (x > 10.0f || x < -10.0f) return x > 0 ? 1.0f : -1.0f;
    const double e = wide_exp(wide + wide);
    return static_cast<float>((e - 1.0) / (e + 1.0));
}

// log(x): x = m 2^n with m near 1; the series of 2 artanh((m - 1) / (m + 1)).
inline float log(float x) {
    if (!(x > 0.0f) || x > std::numeric_limits<float>::max())
        return x == 0.0f ? -std::numeric_limits<float>::infinity() : x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : x;
    const auto bits = std::bit_cast<uint64_t>(static_cast<double>(x));
    auto n = static_cast<int32_t>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL);
    if (m > 1.4142135623730951) m *= 0.5, ++n;
    const double s = (m - 1.0) / (m + 1.0), s2 = s * s, s4 = s2 * s2;
    const double low = (1.0 + s2 * (1.0 / 3)) + (1.0 / 5 + s2 * (1.0 / 7)) * s4;
    const double high = (1.0 / 9 + s2 * (1.0 / 11)) + (1.0 / 13 + s2 * (1.0 / 15)) * s4;
    return static_cast<float>(n * 0.6931471805599453 + 2.0 * s * (low + high * (s4 * s4)));
}

// The series of erf(x) exp(x^2), whose terms are all of one sign.
inline float erf(float x) {
    if (x != x) return x;
    if (x > 4.0f || x < -4.0f) return x > 0 ? 1.0f : -1.0f;
    const double wide = static_cast<double>(x), square = wide * wide;
    double term = 1.0, sum = 1.0;
    for (int32_t n = 1; term > sum * 1e-11; ++n) sum += term = term * (square + square) / static_cast<double>(2 * n + 1);
    return static_cast<float>(1.1283791670955126 * wide * sum * wide_exp(-square));
}

// x^y of whole y by squaring.
inline float power(float x, int32_t y) {
    double base = static_cast<double>(x), product = 1.0;
    for (int32_t n = y < 0 ? -y : y; n > 0; n >>= 1, base *= base)
        if (n & 1) product *= base;
    return static_cast<float>(y < 0 ? 1.0 / product : product);
}
inline bool is_whole_power(float y) { return y >= -64.0f && y <= 64.0f && y == static_cast<float>(static_cast<int32_t>(y)); }
inline float pow(float x, float y) { return is_whole_power(y) ? power(x, static_cast<int32_t>(y)) : std::pow(x, y); }

// Other kinds of numbers have no generated code.
inline double exp(double x) { return std::exp(x); }
inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline double tanh(double x) { return std::tanh(x); }
inline double log(double x) { return std::log(x); }
inline double erf(double x) { return std::erf(x); }
inline double pow(double x, double y) { return std::pow(x, y); }

}  // namespace quern::portable
