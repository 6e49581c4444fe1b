#pragma once

#include <stdint.h>

/* 1 / (1 + exp(-x)), or tanh(x), of a code scaled to multiples of 1 / 12288, with 15 bits behind the point: straight lines between numbers
   at multiples of 1/24. */
static int32_t logistic_codes(int32_t x, int32_t factor, int32_t shift, int32_t is_tanh, const uint16_t* table) {
    const int32_t bits = is_tanh ? 8 : 9, half = 1 << bits;
    int32_t scaled_x = (int32_t)((uint32_t)x * (uint32_t)factor), size, at, y;
    scaled_x = (int32_t)(((int64_t)scaled_x + (shift > 0 ? (int64_t)1 << (shift - 1) : 0)) >> shift);
    size = scaled_x < 0 ? -scaled_x : scaled_x;
    at = size >> bits;
    if (at >= 255)
        y = is_tanh ? 0xffff << 8 : 0x7fff << 10;
    else
        y = ((int32_t)table[at] << bits) + (size & (half - 1)) * (table[at + 1] - table[at]);
    if (is_tanh) return (scaled_x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1) >> 8;
    return (scaled_x >= 0 ? y + half : (1 << 25) - y + half - 1) >> 10;
}
