#pragma once
#include "libcore/ops/portable/power_of_two.h"

/* exp(x + more), |more| < 1e-12: x = n ln 2 + r, ln 2 in two parts, r with its rounding error; the Taylor series of exp(r),
   |r| <= ln 2 / 2. */
static double exp_of_sum(double x, double more) {
    double steps, high, low, r, error, series = 1.0;
    int32_t n, k;
    if (x != x) return x;
    if (x > 709.8) return 1.0 / 0.0;
    if (x < -745.2) return 0.0;
    steps = x * 1.4426950408889634;
    n = (int32_t)(steps < 0.0 ? steps - 0.5 : steps + 0.5);
    high = x - n * 0.6931471803691238;
    low = n * 1.9082149292705877e-10;
    r = high - low;
    error = ((high - r) - low) + more;
    for (k = 14; k > 2; --k) series = 1.0 + series * r / k;
    series *= r * r * 0.5;
    series = 1.0 + (r + (error * (1.0 + r + series) + series));
    return series * power_of_two(n / 2) * power_of_two(n - n / 2);
}
