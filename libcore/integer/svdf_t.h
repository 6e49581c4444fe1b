#pragma once

#include <stdint.h>

/* `feature` brings sums over the input to the state's scale, `result` those over time to the result's. */
typedef struct {
    int32_t batch, input, filters, memory, rank, x_zero;
    int32_t feature_factor, feature_shift, result_factor, result_shift, zero, low, high;
} svdf_t;
