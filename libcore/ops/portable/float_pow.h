#pragma once
#include "libcore/ops/portable/double_pow.h"
#include "libcore/ops/portable/whole_power.h"

/* x^y: by squaring for whole y of at most 64. */
static float float_pow(float x, float y) {
    if (y >= -64.0f && y <= 64.0f && y == (float)(int32_t)y) return whole_power(x, (int32_t)y);
    return (float)double_pow((double)x, (double)y);
}
