#pragma once
#include "libcore/ops/portable/cosine_series.h"
#include "libcore/ops/portable/quarter_turns.h"
#include "libcore/ops/portable/sine_series.h"

/* cos(x) */
static double double_cos(double x) {
    double rest;
    const int32_t n = quarter_turns(x, &rest);
    const double y = n & 1 ? sine_series(rest) : cosine_series(rest);
    return n == 1 || n == 2 ? -y : y;
}
