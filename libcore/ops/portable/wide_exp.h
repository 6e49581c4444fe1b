#pragma once
#include "libcore/ops/portable/power_of_two.h"

/* exp(x) of |x| < 700: x = n ln 2 + r, ln 2 in two parts; the Taylor series of exp(r), |r| <= ln 2 / 2, is within 1e-11. */
static double wide_exp(double x) {
    const double steps = x * 1.4426950408889634;
    const int32_t n = (int32_t)(steps < 0.0 ? steps - 0.5 : steps + 0.5);
    const double r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10, r2 = r * r, r4 = r2 * r2;
    const double low = (1.0 + r) + (1.0 / 2.0 + r * (1.0 / 6.0)) * r2;
    const double high = (1.0 / 24.0 + r * (1.0 / 120.0)) + (1.0 / 720.0 + r * (1.0 / 5040.0)) * r2;
    const double series = (low + high * r4) + (1.0 / 40320.0 + r * (1.0 / 362880.0)) * (r4 * r4);
    return series * power_of_two(n);
}
