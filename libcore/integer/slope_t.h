#pragma once

#include <stdint.h>

typedef struct {
    int32_t a_zero, b_zero, factor, shift, below_factor, below_shift, zero, low, high;
} slope_t;
