#pragma once

#include <stdint.h>

/* x / 2^n to nearest, ties away from zero. */
static int32_t rounded_shift(int32_t x, int32_t n) {
    const int64_t mask = ((int64_t)1 << n) - 1;
    const int64_t rest = x & mask, threshold = (mask >> 1) + (x < 0);
    if (n > 31) return (x < 0 ? -1 : 0) + (rest > threshold);
    return (int32_t)((int64_t)x >> n) + (rest > threshold);
}
