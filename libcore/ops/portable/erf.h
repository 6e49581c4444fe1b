/* The error function. */
#pragma once

#include "libcore/ops/portable/exp_log.h"

/* kernel exp_of_square */
/* exp(-x^2), |x| < 30 */
static inline double exp_of_square(double x) {
    const double square = x * x;
    return exp_of_sum(-square, -product_error(x, x, square));
}

/* kernel erf_series */
/* erf(x), |x| <= 2: the series of erf(x) exp(x^2), whose terms are all of one sign. */
static inline double erf_series(double x) {
    const double square = x * x;
    double term = 1.0, sum = 1.0;
    int32_t n;
    for (n = 1; term > sum * 1e-17; ++n)
        sum += term = term * (square + square) / (double)(2 * n + 1);
    return 1.1283791670955126 * x * sum * exp_of_square(x);
}

/* kernel double_erfc */
/* 1 - erf(x), from 1 on by its continued fraction. */
static inline double double_erfc(double x) {
    double fraction = 0.0;
    int32_t k;
    if (x != x) return x;
    if (x < -6.0) return 2.0;
    if (x < -1.0) return 2.0 - double_erfc(-x);
    if (x < 1.0) return 1.0 - erf_series(x);
    if (x > 27.3) return 0.0;
    for (k = 160; k > 0; --k) fraction = 0.5 * k / (x + fraction);
    return exp_of_square(x) * 0.5641895835477563 / (x + fraction);
}

/* kernel double_erf */
/* erf(x), beyond 2 by what is missing to 1. */
static inline double double_erf(double x) {
    if (x != x) return x;
    if (x > 2.0) return 1.0 - double_erfc(x);
    if (x < -2.0) return double_erfc(-x) - 1.0;
    return erf_series(x);
}

/* kernel float_erf */
/* erf(x), the same on every processor: the series of erf(x) exp(x^2), whose terms are all of one
 * sign. */
static inline float float_erf(float x) {
    const double wide = (double)x, square = wide * wide;
    double term = 1.0, sum = 1.0;
    int32_t n;
    if (x != x) return x;
    if (x > 4.0f || x < -4.0f) return x > 0.0f ? 1.0f : -1.0f;
    for (n = 1; term > sum * 1e-11; ++n)
        sum += term = term * (square + square) / (double)(2 * n + 1);
    return (float)(1.1283791670955126 * wide * sum * wide_exp(-square));
}
