#pragma once

#include "libcore/integer/high_product.h"
#include "libcore/integer/leading_zeros.h"
#include "libcore/integer/rounded_shift.h"
#include "libcore/integer/saturated_shift.h"

/* 1 / sqrt(x) as a factor and a shift, of x > 0; 1 for 0: five steps of Newton's method. */
static int32_t inverse_root(int32_t x, int32_t* shift) {
    int32_t right = 11, pairs, input, half, y = 1 << 28, round, root;
    *shift = 0;
    if (x <= 1) return INT32_MAX;
    for (; x >= 1 << 29; ++right) x /= 4;
    pairs = (leading_zeros((uint32_t)x) - 1) / 2 - 1;
    input = (x << (2 * pairs)) >> 1;
    half = rounded_shift(input, 1);
    right -= pairs;
    for (round = 0; round < 5; ++round) {
        const int32_t cube = saturated_shift(high_product(high_product(y, y), y), 6);
        const uint32_t less = (uint32_t)high_product((1 << 28) + (1 << 27), y) - (uint32_t)high_product(half, cube);
        y = saturated_shift((int32_t)less, 3);
    }
    root = high_product(y, 1518500250);
    if (right < 0) return (int32_t)((uint32_t)root << -right);
    *shift = -right;
    return root;
}
