#pragma once
#include "libcore/ops/portable/wide_exp.h"

/* tanh(x), the same on every processor. */
static float float_tanh(float x) {
    const double wide = (double)x;
    double e;
    if (x != x || (x < 1e-3f && x > -1e-3f)) return (float)(wide * (1.0 - wide * wide * (1.0 / 3.0)));
    if (x > 10.0f || x < -10.0f) return x > 0.0f ? 1.0f : -1.0f;
    e = wide_exp(wide + wide);
    return (float)((e - 1.0) / (e + 1.0));
}
