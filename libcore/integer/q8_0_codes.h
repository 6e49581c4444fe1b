#pragma once

#include "libcore/integer/round_away.h"

/* Rounds 32 real numbers to a block of codes of -127..127 (ggml's Q8_0 and Q8_1), ties away from zero; returns the scale before it is
 * stored in 16 bits. Codes are 0 where the scale is 0, or so small that it has no inverse. */
static float q8_0_codes(const float* x, int8_t* codes) {
    float range = 0.0f, scale, inverse;
    int32_t i;
    for (i = 0; i < 32; ++i) {
        const float size = x[i] < 0.0f ? -x[i] : x[i];
        if (size > range) range = size;
    }
    scale = range / 127.0f;
    inverse = 1.0f / scale;
    if (!(inverse <= 3.402823466e+38f)) inverse = 0.0f;
    for (i = 0; i < 32; ++i) codes[i] = (int8_t)round_away(x[i] * inverse);
    return scale;
}
