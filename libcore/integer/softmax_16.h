#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/leading_zeros.h"
#include "libcore/integer/on_lines.h"
#include "libcore/integer/scaled.h"

/* Softmax of 16-bit codes: exponentials of differences and the reciprocal of their sum from tables. */
static void softmax_16(const int16_t* x, int16_t* y, int32_t lines, int32_t length, int32_t factor, int32_t shift,
                       const int16_t* exponential, const int16_t* reciprocal) {
    int32_t line, i;
    for (line = 0; line < lines; ++line, x += length, y += length) {
        int32_t top = x[0], sum = 0, headroom, inverse;
        for (i = 1; i < length; ++i)
            if (x[i] > top) top = x[i];
        for (i = 0; i < length; ++i) {
            const int32_t below = scaled(x[i] - top, factor, shift);
            y[i] = (int16_t)on_lines(clip((int64_t)below + 32767, INT16_MIN, INT16_MAX), exponential);
            sum += y[i];
        }
        headroom = leading_zeros((uint32_t)sum);
        inverse = on_lines(
            clip((((int64_t)sum * ((int64_t)1 << (headroom - 1)) + (1 << 13)) >> 14) - (1 << 15) - (1 << 16), INT16_MIN, INT16_MAX),
            reciprocal);
        for (i = 0; i < length; ++i)
            y[i] = (int16_t)clip(((int64_t)y[i] * inverse + ((int64_t)1 << (30 - headroom))) >> (31 - headroom), 0, INT16_MAX);
    }
}
