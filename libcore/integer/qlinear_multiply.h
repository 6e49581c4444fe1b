#pragma once

#include "libcore/integer/quantize_one.h"

static int32_t qlinear_multiply(int32_t a, int32_t b, float a_zero, float b_zero, float ratio, float y_zero, int32_t low, int32_t high) {
    return quantize_one(((float)a - a_zero) * ((float)b - b_zero) * ratio + y_zero, 0, low, high);
}
