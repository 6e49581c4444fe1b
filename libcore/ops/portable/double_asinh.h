#pragma once
#include "libcore/ops/portable/double_log1p.h"
#include "libcore/ops/portable/square_root.h"

/* asinh(x) */
static double double_asinh(double x) {
    const double size = x < 0.0 ? -x : x, square = x * x;
    double y;
    if (x != x || x == 0.0) return x;
    if (size > 1e9)
        y = double_log(size) + 0.6931471805599453;
    else if (size > 2.0)
        y = double_log(2.0 * size + 1.0 / (square_root(square + 1.0) + size));
    else
        y = double_log1p(size + square / (1.0 + square_root(1.0 + square)));
    return x < 0.0 ? -y : y;
}
