#pragma once
#include "libcore/ops/portable/fdlibm_expm1.h"

/* tanh(x) with the bits that fdlibm's s_tanhf.c gives. */
static float fdlibm_tanh(float x) {
    const float size = x < 0.0f ? -x : x;
    float y;
    if (x != x || size < 2.7755576e-17f) return x;
    if (size >= 22.0f)
        y = 1.0f;
    else if (size >= 1.0f)
        y = 1.0f - 2.0f / (fdlibm_expm1(2.0f * size) + 2.0f);
    else {
        const float t = fdlibm_expm1(-2.0f * size);
        y = -t / (t + 2.0f);
    }
    return x < 0.0f ? -y : y;
}
