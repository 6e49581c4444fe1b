/* Trigonometric functions and their inverses. */
#pragma once

#include "libcore/ops/portable/square_root.h"

/* kernel sine_series */
/* sin(x), |x| <= pi / 4 */
static inline double sine_series(double x) {
    const double square = x * x;
    double series = 1.0;
    int32_t k;
    if (x == 0.0) return x;
    for (k = 19; k > 3; k -= 2) series = 1.0 - series * square / (k * (k - 1));
    return x - x * square * series / 6.0;
}

/* kernel cosine_series */
/* cos(x), |x| <= pi / 4 */
static inline double cosine_series(double x) {
    const double square = x * x;
    double series = 1.0;
    int32_t k;
    for (k = 18; k > 2; k -= 2) series = 1.0 - series * square / (k * (k - 1));
    return 1.0 - square * series * 0.5;
}

/* kernel turn_bits */
/* The 192 bits of 2 / pi from the one of weight 2^-(at - 61) on, the lowest 32 first. */
static inline void turn_bits(int32_t at, uint32_t* bits) {
    static const uint32_t two_by_pi[39] = {
        0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
        0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
        0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
        0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
        0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
        0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};
    const int32_t word = at >> 5, shift = 32 - (at & 31);
    int32_t k;
    for (k = 0; k < 6; ++k) {
        /* `at` is at most 1,034: NOLINTNEXTLINE(clang-analyzer-core.*) */
        const uint64_t two = (uint64_t)two_by_pi[word + 5 - k] << 32 |
                             (word + 6 - k < 39 ? two_by_pi[word + 6 - k] : 0);
        bits[k] = (uint32_t)(two >> shift);
    }
}

/* kernel quarter_turns */
/* x = n pi / 2 + rest, |rest| <= pi / 4; returns n modulo 4. Beyond pi / 4, x = m 2^e: m times the
   192 bits of 2 / pi whose weights count (those in front are whole turns) has two bits of n and 190
   bits after the point. */
static inline int32_t quarter_turns(double x, double* rest) {
    union {
        double real;
        uint64_t bits;
    } number;
    uint32_t bits[6], product[6];
    uint64_t sum = 0, high, low;
    int32_t k;
    number.real = x;
    *rest = x;
    if (x != x || (x <= 0.7853981633974483 && x >= -0.7853981633974483)) return 0;
    *rest = x - x;
    if (x - x != 0.0) return 0;
    turn_bits((int32_t)(number.bits >> 52 & 0x7ff) - 1013, bits);
    for (k = 0; k < 6; ++k) {
        sum += (uint64_t)bits[k] * (uint32_t)number.bits;
        product[k] = (uint32_t)sum;
        sum >>= 32;
    }
    sum = 0;
    for (k = 0; k < 5; ++k) {
        sum += (uint64_t)bits[k] * (uint32_t)((number.bits >> 32 & 0xfffff) | 0x100000) +
               product[k + 1];
        product[k + 1] = (uint32_t)sum;
        sum >>= 32;
    }
    high = (uint64_t)product[5] << 32 | product[4];
    low = (uint64_t)product[3] << 32 | product[2];
    k = (int32_t)((high + (1ULL << 61)) >> 62);
    high -= (uint64_t)k << 62;
    *rest = ((double)(int64_t)high + (double)low * 5.421010862427522e-20) * 2.168404344971009e-19 *
            1.5707963267948966;
    if (x > 0.0) return k & 3;
    *rest = -*rest;
    return -k & 3;
}

/* kernel double_sin */
/* sin(x) */
static inline double double_sin(double x) {
    double rest;
    const int32_t n = quarter_turns(x, &rest);
    const double y = n & 1 ? cosine_series(rest) : sine_series(rest);
    return n & 2 ? -y : y;
}

/* kernel double_cos */
/* cos(x) */
static inline double double_cos(double x) {
    double rest;
    const int32_t n = quarter_turns(x, &rest);
    const double y = n & 1 ? sine_series(rest) : cosine_series(rest);
    return n == 1 || n == 2 ? -y : y;
}

/* kernel double_tan */
/* tan(x) */
static inline double double_tan(double x) {
    double rest;
    const int32_t n = quarter_turns(x, &rest);
    if (n & 1) return -cosine_series(rest) / sine_series(rest);
    return sine_series(rest) / cosine_series(rest);
}

/* kernel double_atan */
/* atan(x): of 1 / x beyond 1; the nearest of 0, 1/2 and 1 is taken off, the Taylor series of the
 * rest is short. */
static inline double double_atan(double x) {
    const double size = x < 0.0 ? -x : x, low = size > 1.0 ? 1.0 / size : size;
    const double near = low < 0.25   ? 0.0
                        : low < 0.75 ? 0.5
                                     : 1.0,
                 t = (low - near) / (1.0 + low * near), t2 = t * t;
    double series = 0.0, y;
    int32_t k;
    if (x != x || x == 0.0) return x;
    for (k = 27; k > 1; k -= 2) series = (1.0 / k - series) * t2;
    y = (near == 0.0   ? 0.0
         : near == 0.5 ? 0.4636476090008061
                       : 0.7853981633974483) +
        (t - t * series);
    if (size > 1.0) y = 1.5707963267948966 - (y - 6.123233995736766e-17);
    return x < 0.0 ? -y : y;
}

/* kernel double_asin */
/* asin(x); not a number beyond -1 and 1. */
static inline double double_asin(double x) {
    return double_atan(x / square_root((1.0 - x) * (1.0 + x)));
}

/* kernel double_acos */
/* acos(x); not a number beyond -1 and 1. */
static inline double double_acos(double x) {
    if (x > 1.0 || x < -1.0) return 0.0 / (x - x);
    return 2.0 * double_atan(square_root((1.0 - x) / (1.0 + x)));
}
