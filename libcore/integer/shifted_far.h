#pragma once

#include <stdint.h>

/* By 2^exponent; beyond 31 bits as the reference does on 64-bit processors. */
static int32_t shifted_far(int32_t x, int32_t exponent) {
    const int32_t mask = (int32_t)(uint32_t)(((uint64_t)1 << (exponent % 64)) - 1);
    return (x >> (exponent % 32)) + ((x & mask) > (mask >> 1) + (x < 0));
}
