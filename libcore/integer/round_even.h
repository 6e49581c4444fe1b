#pragma once

#include <stdint.h>

/* To the nearest whole number, ties to even. Needs float arithmetic that is neither wider nor re-ordered. */
static float round_even(float x) {
    volatile float sum;
    if (x >= 8388608.0f || x <= -8388608.0f) return x;
    sum = x < 0.0f ? x - 8388608.0f : x + 8388608.0f;
    return x < 0.0f ? sum + 8388608.0f : sum - 8388608.0f;
}
