#pragma once

#include "libcore/integer/fused_multiply_add.h"
#include "libcore/integer/quantize_one.h"

/* onnxruntime's: the zero points are folded into one float, `fixed`, and rounded once. */
static int32_t qlinear_add(int32_t a, int32_t b, float a_ratio, float b_ratio, float fixed, int32_t low, int32_t high) {
    return quantize_one(fused_multiply_add((float)b, b_ratio, fused_multiply_add((float)a, a_ratio, fixed)), 0, low, high);
}
