#pragma once
#include "libcore/ops/portable/wide_exp.h"

/* exp(x), the same on every processor. */
static float float_exp(float x) {
    if (x != x) return x;
    if (x > 89.0f) return 1.0f / 0.0f;
    if (x < -104.0f) return 0.0f;
    return (float)wide_exp((double)x);
}
