#pragma once
#include "libcore/ops/portable/double_exp.h"

/* cosh(x) */
static double double_cosh(double x) {
    const double size = x < 0.0 ? -x : x;
    double e;
    if (size > 22.0) {
        e = double_exp(0.5 * size);
        return 0.5 * e * e;
    }
    e = double_exp(size);
    return 0.5 * e + 0.5 / e;
}
