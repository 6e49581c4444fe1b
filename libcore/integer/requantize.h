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

/* kernel code_of_product */
/* code_of_double without floats, for processors that have none: m of `factor`, 53 bits from 2^52
 * on, is its lower bits, s of m / 2^s, 33 to 95, its upper ones. */
static inline int32_t code_of_product(int32_t sum, uint64_t factor, const requant_t* q) {
    const uint32_t size = sum < 0 ? 0u - (uint32_t)sum : (uint32_t)sum;
    const int32_t shift = (int32_t)(factor >> 53) - 32;
    const uint64_t low = (uint64_t)size * (uint32_t)factor;
    uint64_t high = (uint64_t)size * ((uint32_t)(factor >> 32) & 0x1fffffu) + (low >> 32);
    int64_t steps;
    /* A double has 53 bits, so what lies less than half of the last one below a tie becomes one. */
    if ((uint32_t)low >= 0x80000000u) {
        uint64_t half = high >> 21;
        half |= half >> 1;
        half |= half >> 2;
        half |= half >> 4;
        half |= half >> 8;
        half |= half >> 16;
        high += ((low & 0xffffffffu) + (half - (half >> 1))) >> 32;
    }
    steps = (int64_t)((high + ((uint64_t)1 << (shift - 1))) >> shift);
    return clip((sum < 0 ? -steps : steps) + q->y_zero, q->y_low, q->y_high);
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
