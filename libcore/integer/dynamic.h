/* Codes of real numbers by their own range. */
#pragma once

#include <stdint.h>

#include "libcore/integer/rounding.h"

/* kernel symmetric_codes */
/* Rounds a slice of real numbers to codes of -127..127, ties away from zero; returns the scale. */
static inline float symmetric_codes(const float* x, int8_t* codes, int32_t count) {
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

/* kernel asymmetric_codes */
/* Rounds a slice of real numbers to codes of -128..127, less their zero point; returns
   the scale. */
static inline float asymmetric_codes(const float* x, int16_t* codes, int32_t count) {
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
    zero = 128.0 - (double)low / real < 127.0 + (double)high / real ? -128.0 - (double)low / real
                                                                    : 127.0 - (double)high / real;
    zero_code = zero == zero ? round_away(zero < -128.0 ? -128.0 : zero > 127.0 ? 127.0 : zero) : 0;
    inverse = 1.0f / (float)real;
    for (i = 0; i < count; ++i) {
        const float steps = (float)zero_code + x[i] * inverse;
        const int32_t code = steps == steps ? round_away(steps) : 0;
        codes[i] = (int16_t)((code > 127 ? 127 : code < -128 ? -128 : code) - zero_code);
    }
    return (float)real;
}

/* kernel q8_0_codes */
/* Rounds 32 real numbers to a block of codes of -127..127 (ggml's Q8_0 and Q8_1), ties away from
 * zero; returns the scale before it is stored in 16 bits. Codes are 0 where the scale is 0, or so
 * small that it has no inverse. */
static inline float q8_0_codes(const float* x, int8_t* codes) {
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

/* kernel q8_k_codes */
/* Rounds 256 real numbers to a block of codes of -127..127 (ggml's Q8_K), ties to even; the number
 * of the largest size, the first of them, has the code -127. Returns the scale; 0, and codes of 0,
 * where all are 0, or so small that the scale has no inverse. */
static inline float q8_k_codes(const float* x, int8_t* codes) {
    float range = 0.0f, most = 0.0f, inverse;
    int32_t i;
    for (i = 0; i < 256; ++i) {
        const float size = x[i] < 0.0f ? -x[i] : x[i];
        if (size > range) {
            range = size;
            most = x[i];
        }
    }
    inverse = -127.0f / most;
    if (!(inverse >= -3.402823466e+38f && inverse <= 3.402823466e+38f)) inverse = 0.0f;
    for (i = 0; i < 256; ++i) {
        const float raised = inverse * x[i] + 12582912.0f; /* 1.5 * 2^23: its last bit is worth 1 */
        const int32_t code = (int32_t)(raised - 12582912.0f);
        codes[i] = (int8_t)(code > 127 ? 127 : code);
    }
    return inverse == 0.0f ? 0.0f : 1.0f / inverse;
}
