#pragma once

#include <stdint.h>

/* Both operands are brought to one finer scale, summed, and brought to the result's. */
typedef struct {
    int32_t bits, a_zero, a_factor, a_shift, b_zero, b_factor, b_shift, sign;
    int32_t factor, shift, zero, low, high;
} sum_t;
