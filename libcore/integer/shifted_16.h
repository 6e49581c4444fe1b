#pragma once

#include "libcore/integer/rounded_shift.h"

/* x * 2^n: saturated to the left, to nearest to the right, ties away from zero. */
static int16_t shifted_16(int16_t x, int32_t n) {
    if (n > 0) {
        const int32_t limit = (1 << (15 - n)) - 1;
        return (int16_t)(x > limit ? INT16_MAX : x < -limit ? INT16_MIN : x * (1 << n));
    }
    return (int16_t)rounded_shift(x, -n);
}
