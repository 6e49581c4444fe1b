#pragma once

#include "libcore/integer/round_away.h"

/* Rounds a slice of real numbers to codes of -127..127, ties away from zero; returns the scale. */
static float symmetric_codes(const float* x, int8_t* codes, int32_t count) {
    float range = 0.0f, inverse;
    int32_t i;
    for (i = 0; i < count; ++i) {
        const float size = x[i] < 0.0f ? -x[i] : x[i];
        if (size > range) range = size;
    }
    if (range == 0.0f) {
        for (i = 0; i < count; ++i) codes[i] = 0;
        return 1.0f;
    }
    inverse = 127.0f / range;
    for (i = 0; i < count; ++i) {
        const float steps = x[i] * inverse;
        int32_t code = steps == steps ? round_away(steps) : 0;
        codes[i] = (int8_t)(code > 127 ? 127 : code < -127 ? -127 : code);
    }
    return range / 127.0f;
}
