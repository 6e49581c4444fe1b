#pragma once

#include <stdint.h>

/* The same for 64-bit sums: the factor is cut to 16 bits, the product, modulo 2 to the 64, rounded once, ties up. */
static int32_t scaled_wide(int64_t x, int32_t factor, int32_t shift) {
    const int64_t small = factor < 0x7fff0000 ? (factor + (1 << 15)) >> 16 : 0x7fff;
    const uint64_t product = (uint64_t)x * (uint64_t)small;
    const int32_t total = 15 - shift;
    if (total < 1) return (int32_t)(uint32_t)(product << -total);
    return (int32_t)(uint32_t)(uint64_t)((int64_t)(product + ((uint64_t)1 << (total - 1))) >> total);
}
