/* Lengths and steps of tensors, and walks through them. */
#pragma once

#include <stdint.h>

/* kernel walk_t */
/* Lengths of a walk over elements, the last one innermost, and the steps of up to three operands in
 * elements. */
typedef struct {
    int32_t rank, dims[8], a[8], b[8], c[8];
} walk_t;

/* kernel next_line */
/* The next line of a walk: 0 at the end. */
static inline int32_t next_line(const walk_t* s, int32_t at[8], int32_t* a, int32_t* b,
                                int32_t* c) {
    int32_t d;
    for (d = s->rank - 2; d >= 0; --d) {
        *a += s->a[d];
        *b += s->b[d];
        *c += s->c[d];
        if (++at[d] < s->dims[d]) return 1;
        *a -= s->a[d] * s->dims[d];
        *b -= s->b[d] * s->dims[d];
        *c -= s->c[d] * s->dims[d];
        at[d] = 0;
    }
    return 0;
}

/* kernel conv_t */
/* Lengths of a convolution or pool over two spatial dims, and steps in elements: x_n from image to
   image, x_g from group to group, x_c from channel to channel. */
typedef struct {
    int32_t batch, groups, in_channels, out_channels; /* channels of one group */
    int32_t in_h, in_w, out_h, out_w, kernel_h, kernel_w;
    int32_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    int32_t x_n, x_g, x_c, x_h, x_w;
    int32_t w_m, w_c, w_h, w_w;
    int32_t y_n, y_c, y_h, y_w;
} conv_t;

/* kernel volume_t */
/* Lengths of a convolution or pool over three spatial dims, and steps in elements: x_n from image
 * to image, x_c from channel to channel. */
typedef struct {
    int32_t batch, groups, in_channels, out_channels; /* channels of one group */
    int32_t in[3], out[3], kernel[3], stride[3], pad[3], after[3], dilation[3];
    int32_t x_n, x_c, x[3], y_n, y_c, y[3], w_m, w_c, w[3];
} volume_t;

/* kernel matmul_t */
/* y[b][i][j] = sum over k of a[b][i][k] * w[b][k][j]; *_batch, *_row, *_column are steps in
 * elements. */
typedef struct {
    int32_t batch, rows, depth, columns;
    int32_t a_batch, a_row, a_column, w_batch, w_row, w_column;
} matmul_t;

/* kernel conv_source */
/* The row (or column) of the input under a tap of output row `at`; below 0: none. */
static inline int32_t conv_source(int32_t at, int32_t tap, int32_t stride, int32_t pad,
                                  int32_t dilation, int32_t length) {
    const int32_t place = at * stride - pad + tap * dilation;
    return place < length ? place : -1;
}

/* kernel conv_transpose_source */
/* The row (or column) of the input that a tap spreads to output row `at`; below 0: none. */
static inline int32_t conv_transpose_source(int32_t at, int32_t tap, int32_t stride, int32_t pad,
                                            int32_t dilation, int32_t length) {
    const int32_t place = at + pad - tap * dilation;
    return place < 0 || place % stride || place / stride >= length ? -1 : place / stride;
}
