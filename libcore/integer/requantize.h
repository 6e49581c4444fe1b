/* Codes of sums, of other codes and of real numbers. */
#pragma once

#include <stdint.h>

#include "libcore/integer/rounding.h"

/* kernel requant_t */
/* From a sum of products to a code: channel c takes factor[c * step] and shift[c * step]. */
typedef struct {
    int32_t x_zero, w_zero;
    int32_t y_zero, y_low, y_high;
    int32_t step;
} requant_t;

/* kernel code_of_sum */
/* The code of a sum of products, of which 32 bits count: by a factor in fixed point. */
static inline int32_t code_of_sum(int64_t sum, int32_t factor, int32_t shift, const requant_t* q) {
    return clip((int64_t)scaled((int32_t)(uint32_t)(uint64_t)sum, factor, shift) + q->y_zero,
                q->y_low, q->y_high);
}

/* kernel code_of_wide_sum */
/* The code of a sum of products of 16-bit codes: by a factor in fixed point. */
static inline int32_t code_of_wide_sum(int64_t sum, int32_t factor, int32_t shift,
                                       const requant_t* q) {
    return clip((int64_t)scaled_wide(sum, factor, shift) + q->y_zero, q->y_low, q->y_high);
}

/* kernel code_of_double */
/* The code of a sum of products by a factor in double, ties away from zero. */
static inline int32_t code_of_double(double sum, double factor, const requant_t* q) {
    return clip((int64_t)round_away(sum * factor) + q->y_zero, q->y_low, q->y_high);
}

/* kernel code_of_real */
/* Ties away from zero; of what is no number the zero point. */
static inline int32_t code_of_real(float x, float scale, int32_t zero, int32_t low, int32_t high) {
    return clip((int64_t)(x == x ? round_away((double)(x / scale)) : 0) + zero, low, high);
}

/* kernel rescale_t */
/* A code by a factor. */
typedef struct {
    int32_t x_zero, factor, shift, zero, low, high;
} rescale_t;

/* kernel rescale_code */
static inline int32_t rescale_code(int32_t x, const rescale_t* t) {
    const int32_t code = (int32_t)((uint32_t)x - (uint32_t)t->x_zero);
    return clip((int64_t)scaled(code, t->factor, t->shift) + t->zero, t->low, t->high);
}
