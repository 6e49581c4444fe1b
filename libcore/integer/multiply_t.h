#pragma once

#include <stdint.h>

typedef struct {
    int32_t a_zero, b_zero, factor, shift, zero, low, high;
} multiply_t;
