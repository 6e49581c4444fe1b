#pragma once

#include <stdint.h>

/* The row (or column) of the input under a tap of output row `at`; below 0: none. */
static int32_t conv_source(int32_t at, int32_t tap, int32_t stride, int32_t pad, int32_t dilation, int32_t length) {
    const int32_t place = at * stride - pad + tap * dilation;
    return place < length ? place : -1;
}
