#pragma once

#include <stdint.h>

/* x_t and x_b: elements from step to step and from row to row, y_t and y_b likewise. `power`: of the scale of cells, 2^power. */
typedef struct {
    int32_t steps, batch, width, hidden, x_t, x_b, y_t, y_b;
    int32_t x_zero, h_zero, power, out_factor, out_shift, out_zero, cell_clip;
} lstm_codes_t;
