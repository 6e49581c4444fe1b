#pragma once
#include "libcore/ops/portable/double_log1p.h"

/* atanh(x); not a number beyond -1 and 1. */
static double double_atanh(double x) {
    const double size = x < 0.0 ? -x : x;
    const double y = 0.5 * double_log1p(2.0 * size / (1.0 - size));
    if (x != x || x == 0.0) return x;
    return x < 0.0 ? -y : y;
}
