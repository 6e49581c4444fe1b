#pragma once
#include "libcore/ops/portable/double_log1p.h"
#include "libcore/ops/portable/square_root.h"

/* acosh(x); not a number below 1. */
static double double_acosh(double x) {
    const double more = x - 1.0;
    if (!(x >= 1.0)) return (x - x) / (x - x);
    if (x > 1e9) return double_log(x) + 0.6931471805599453;
    if (x > 2.0) return double_log(2.0 * x - 1.0 / (x + square_root(x * x - 1.0)));
    return double_log1p(more + square_root(2.0 * more + more * more));
}
