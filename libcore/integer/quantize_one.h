#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/round_even.h"

/* The code of a real number that is `steps` steps from zero. */
static int32_t quantize_one(float steps, int32_t zero, int32_t low, int32_t high) {
    const float rounded = round_even(steps);
    if (!(rounded > -3.0e9f)) return rounded == rounded ? low : clip(zero, low, high);
    if (rounded > 3.0e9f) return high;
    return clip((int64_t)rounded + zero, low, high);
}
