#pragma once

#include "libcore/integer/double_reciprocal_16.h"
#include "libcore/integer/exp_of_negative_16.h"
#include "libcore/integer/shifted_16.h"

/* Of x with 3 bits before the point; 15 behind it in the result. */
static int16_t logistic_16(int16_t x) {
    int16_t positive;
    if (x == 0) return 1 << 14;
    positive = shifted_16(double_reciprocal_16(exp_of_negative_16((int16_t)(x > 0 ? -x : x), 3)), 1);
    return x > 0 ? positive : (int16_t)(INT16_MAX - positive);
}
