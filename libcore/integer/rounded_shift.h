#pragma once

#include <stdint.h>

/* x / 2^n to nearest, ties away from zero; n is 0 to 62. */
static int32_t rounded_shift(int32_t x, int32_t n) {
    const int64_t half = ((int64_t)1 << n) >> 1;
    return (int32_t)((x + half - (n > 0 && x < 0)) >> n);
}
