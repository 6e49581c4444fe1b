#pragma once
#include "libcore/ops/portable/erf_series.h"

/* 1 - erf(x), from 1 on by its continued fraction. */
static double double_erfc(double x) {
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
