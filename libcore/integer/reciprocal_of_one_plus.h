#pragma once

#include "libcore/integer/high_product.h"
#include "libcore/integer/saturated_shift.h"

/* 1 / (1 + x) of 0 <= x < 1, fractions of 2^31: three steps of Newton's method. */
static int32_t reciprocal_of_one_plus(int32_t x) {
    const int64_t sum = (int64_t)x + INT32_MAX;
    const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int32_t y = (int32_t)((uint32_t)1515870810 + (uint32_t)high_product(half, -1010580540));
    int32_t round;
    for (round = 0; round < 3; ++round) {
        const int32_t error = (int32_t)((1u << 29) - (uint32_t)high_product(half, y));
        y = (int32_t)((uint32_t)y + (uint32_t)saturated_shift(high_product(y, error), 2));
    }
    return saturated_shift(y, 1);
}
