#pragma once
#include "libcore/ops/portable/wide_exp.h"

/* erf(x), the same on every processor: the series of erf(x) exp(x^2), whose terms are all of one sign. */
static float float_erf(float x) {
    const double wide = (double)x, square = wide * wide;
    double term = 1.0, sum = 1.0;
    int32_t n;
    if (x != x) return x;
    if (x > 4.0f || x < -4.0f) return x > 0.0f ? 1.0f : -1.0f;
    for (n = 1; term > sum * 1e-11; ++n) sum += term = term * (square + square) / (double)(2 * n + 1);
    return (float)(1.1283791670955126 * wide * sum * wide_exp(-square));
}
