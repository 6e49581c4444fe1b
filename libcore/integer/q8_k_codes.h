#pragma once

#include <stdint.h>

/* Rounds 256 real numbers to a block of codes of -127..127 (ggml's Q8_K), ties to even; the number of the largest size, the first of
 * them, has the code -127. Returns the scale; 0, and codes of 0, where all are 0, or so small that the scale has no inverse. */
static float q8_k_codes(const float* x, int8_t* codes) {
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
