#pragma once

#include <stdint.h>

typedef struct {
    int32_t a_zero, a_factor, a_shift, b_zero, b_factor, b_shift;
    int32_t plain; /* not by their scales */
} compare_t;
