#pragma once

#include "libcore/integer/double_reciprocal_16.h"
#include "libcore/integer/exp_of_negative_16.h"
#include "libcore/integer/shifted_16.h"

/* Of x with `integer` bits before the point, up to 6; 15 behind it in the result. */
static int16_t tanh_16(int16_t x, int32_t integer) {
    int16_t size;
    if (x == 0) return 0;
    size = shifted_16((int16_t)(double_reciprocal_16(exp_of_negative_16((int16_t)(x > 0 ? -x : x), integer + 1)) - (1 << 13)), 2);
    return x > 0 ? size : (int16_t)-size;
}
