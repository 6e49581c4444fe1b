#pragma once

#include <stdint.h>

/* y[b][i][j] = sum over k of a[b][i][k] * w[b][k][j]; *_batch, *_row, *_column are steps in elements. */
typedef struct {
    int32_t batch, rows, depth, columns;
    int32_t a_batch, a_row, a_column, w_batch, w_row, w_column;
} matmul_t;
