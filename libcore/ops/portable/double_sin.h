#pragma once
#include "libcore/ops/portable/cosine_series.h"
#include "libcore/ops/portable/quarter_turns.h"
#include "libcore/ops/portable/sine_series.h"

/* sin(x) */
static double double_sin(double x) {
    double rest;
    const int32_t n = quarter_turns(x, &rest);
    const double y = n & 1 ? cosine_series(rest) : sine_series(rest);
    return n & 2 ? -y : y;
}
