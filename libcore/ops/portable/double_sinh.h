#pragma once
#include "libcore/ops/portable/double_expm1.h"

/* sinh(x) */
static double double_sinh(double x) {
    const double size = x < 0.0 ? -x : x, half = x < 0.0 ? -0.5 : 0.5;
    double e;
    if (x != x || x == 0.0) return x;
    if (size > 22.0) {
        e = double_exp(0.5 * size);
        return half * e * e;
    }
    e = double_expm1(size);
    return half * (size < 1.0 ? 2.0 * e - e * e / (e + 1.0) : e + e / (e + 1.0));
}
