#pragma once
#include "libcore/ops/portable/cosine_series.h"
#include "libcore/ops/portable/quarter_turns.h"
#include "libcore/ops/portable/sine_series.h"

/* tan(x) */
static double double_tan(double x) {
    double rest;
    const int32_t n = quarter_turns(x, &rest);
    if (n & 1) return -cosine_series(rest) / sine_series(rest);
    return sine_series(rest) / cosine_series(rest);
}
