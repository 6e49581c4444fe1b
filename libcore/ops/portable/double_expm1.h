#pragma once
#include "libcore/ops/portable/double_exp.h"

/* exp(x) - 1, near 0 by its Taylor series. */
static double double_expm1(double x) {
    double series = 1.0;
    int32_t k;
    if (x == 0.0) return x;
    if (x > 0.35 || x < -0.35) return double_exp(x) - 1.0;
    for (k = 15; k > 2; --k) series = 1.0 + series * x / k;
    return x + series * x * x * 0.5;
}
