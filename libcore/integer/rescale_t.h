#pragma once

#include <stdint.h>

/* A code by one factor, another below zero. */
typedef struct {
    int32_t x_zero, factor, shift, below_factor, below_shift, zero, low, high;
} rescale_t;
