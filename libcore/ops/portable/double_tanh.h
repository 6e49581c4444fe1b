#pragma once
#include "libcore/ops/portable/double_expm1.h"

/* tanh(x) */
static double double_tanh(double x) {
    const double size = x < 0.0 ? -x : x;
    double e;
    if (x != x || x == 0.0) return x;
    if (size > 22.0) return x < 0.0 ? -1.0 : 1.0;
    e = double_expm1(-2.0 * size);
    return x < 0.0 ? e / (e + 2.0) : -e / (e + 2.0);
}
