#pragma once

#include "libcore/integer/round_away.h"

/* Rounds a slice of real numbers to codes of -128..127, less their zero point; returns the scale. */
static float asymmetric_codes(const float* x, int16_t* codes, int32_t count) {
    float low = 0.0f, high = 0.0f, inverse;
    double real, zero;
    int32_t i, zero_code;
    for (i = 0; i < count; ++i) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
    }
    if (low == high) {
        for (i = 0; i < count; ++i) codes[i] = 0;
        return 1.0f;
    }
    real = ((double)high - (double)low) / 255.0;
    zero = 128.0 - (double)low / real < 127.0 + (double)high / real ? -128.0 - (double)low / real : 127.0 - (double)high / real;
    zero_code = round_away(zero < -128.0 ? -128.0 : zero > 127.0 ? 127.0 : zero);
    inverse = 1.0f / (float)real;
    for (i = 0; i < count; ++i) {
        const float steps = (float)zero_code + x[i] * inverse;
        const int32_t code = steps == steps ? round_away(steps) : 0;
        codes[i] = (int16_t)((code > 127 ? 127 : code < -128 ? -128 : code) - zero_code);
    }
    return (float)real;
}
