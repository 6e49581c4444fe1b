#pragma once
#include "libcore/ops/portable/exp_of_sum.h"
#include "libcore/ops/portable/product_error.h"

/* exp(-x^2), |x| < 30 */
static double exp_of_square(double x) {
    const double square = x * x;
    return exp_of_sum(-square, -product_error(x, x, square));
}
