#pragma once
#include "libcore/ops/portable/exp_of_square.h"

/* erf(x), |x| <= 2: the series of erf(x) exp(x^2), whose terms are all of one sign. */
static double erf_series(double x) {
    const double square = x * x;
    double term = 1.0, sum = 1.0;
    int32_t n;
    for (n = 1; term > sum * 1e-17; ++n) sum += term = term * (square + square) / (double)(2 * n + 1);
    return 1.1283791670955126 * x * sum * exp_of_square(x);
}
