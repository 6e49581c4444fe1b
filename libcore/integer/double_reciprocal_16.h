#pragma once

#include "libcore/integer/high_16.h"
#include "libcore/integer/shifted_16.h"

/* 2 / (1 + x) with 13 bits behind the point, of 0 <= x <= 1. */
static int16_t double_reciprocal_16(int16_t x) {
    const int32_t sum = (int32_t)x + INT16_MAX;
    const int16_t half = (int16_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int16_t y = (int16_t)(23130 + high_16(half, -15420));
    int32_t round;
    for (round = 0; round < 3; ++round) {
        const int16_t rest = (int16_t)((1 << 13) - high_16(half, y));
        y = (int16_t)(y + shifted_16(high_16(y, rest), 2));
    }
    return y;
}
