#pragma once

#include <stdint.h>

/* The row (or column) of the input that a tap spreads to output row `at`; below 0: none. */
static int32_t conv_transpose_source(int32_t at, int32_t tap, int32_t stride, int32_t pad, int32_t dilation, int32_t length) {
    const int32_t place = at + pad - tap * dilation;
    return place < 0 || place % stride || place / stride >= length ? -1 : place / stride;
}
