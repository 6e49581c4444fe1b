#pragma once
#include "libcore/ops/portable/double_erfc.h"

/* erf(x), beyond 2 by what is missing to 1. */
static double double_erf(double x) {
    if (x != x) return x;
    if (x > 2.0) return 1.0 - double_erfc(x);
    if (x < -2.0) return double_erfc(-x) - 1.0;
    return erf_series(x);
}
