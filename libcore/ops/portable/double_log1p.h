#pragma once
#include "libcore/ops/portable/double_log.h"

/* log(1 + x); what the sum loses is added to first order. */
static double double_log1p(double x) {
    const double sum = 1.0 + x;
    if (x == 0.0) return x;
    if (x > -0.29 && x < 0.41) return log_near_one(x, 0);
    if (!(sum > 0.0) || x > 1e300) return double_log(sum);
    return double_log(sum) + (x > 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0)) / sum;
}
