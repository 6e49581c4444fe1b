#pragma once

#include <stdint.h>

/* From a sum of products to a code: channel c takes factor[c * step] and shift[c * step]. */
typedef struct {
    int32_t x_zero, w_zero;
    int32_t y_zero, y_low, y_high;
    int32_t step;
} requant_t;
