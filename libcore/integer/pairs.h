/* Functions of two codes. */
#pragma once

#include <stdint.h>

#include "libcore/integer/functions.h"
#include "libcore/integer/rounding.h"

/* kernel sum_t */
/* Both operands are brought to one finer scale, summed, and brought to the result's. */
typedef struct {
    int32_t bits, a_zero, a_factor, a_shift, b_zero, b_factor, b_shift, sign;
    int32_t factor, shift, zero, low, high;
} sum_t;

/* kernel sum_codes */
static inline int32_t sum_codes(int32_t a, int32_t b, const sum_t* t) {
    const int32_t p =
        scaled((int32_t)((uint32_t)(a - t->a_zero) << t->bits), t->a_factor, t->a_shift);
    const int32_t q =
        scaled((int32_t)((uint32_t)(b - t->b_zero) << t->bits), t->b_factor, t->b_shift);
    const int32_t sum = (int32_t)((uint32_t)p + (t->sign > 0 ? (uint32_t)q : 0u - (uint32_t)q));
    return clip((int64_t)scaled(sum, t->factor, t->shift) + t->zero, t->low, t->high);
}

/* kernel sum_of_powers */
/* Codes whose scales are powers of two, shifted to that of the result. */
static inline int32_t sum_of_powers(int32_t a, int32_t b, const sum_t* t) {
    const int32_t p = rounded_shift(a - t->a_zero, t->a_shift),
                  q = rounded_shift(b - t->b_zero, t->b_shift);
    const int32_t sum = clip((int64_t)p + (int64_t)t->sign * q, INT16_MIN, INT16_MAX);
    return clip((int64_t)sum + t->zero, t->low, t->high);
}

/* kernel square_difference */
static inline int32_t square_difference(int32_t a, int32_t b, const sum_t* t) {
    const int32_t p =
        scaled((int32_t)((uint32_t)(a - t->a_zero) << t->bits), t->a_factor, t->a_shift);
    const int32_t q =
        scaled((int32_t)((uint32_t)(b - t->b_zero) << t->bits), t->b_factor, t->b_shift);
    const uint32_t difference = (uint32_t)p - (uint32_t)q;
    return clip((int64_t)scaled((int32_t)(difference * difference), t->factor, t->shift) + t->zero,
                t->low, t->high);
}

/* kernel compare_t */
typedef struct {
    int32_t a_zero, a_factor, a_shift, b_zero, b_factor, b_shift;
    int32_t plain; /* not by their scales */
} compare_t;

/* kernel compare_codes */
/* The order of two codes by their scales, with 8 more bits: below 0, 0, above 0. */
static inline int32_t compare_codes(int32_t a, int32_t b, const compare_t* t) {
    const int32_t u = a - t->a_zero, v = b - t->b_zero;
    const int32_t p = t->plain ? u : scaled((int32_t)((uint32_t)u << 8), t->a_factor, t->a_shift);
    const int32_t q = t->plain ? v : scaled((int32_t)((uint32_t)v << 8), t->b_factor, t->b_shift);
    return (p > q) - (p < q);
}

/* kernel multiply_t */
typedef struct {
    int32_t a_zero, b_zero, factor, shift, zero, low, high;
} multiply_t;

/* kernel multiply_codes */
static inline int32_t multiply_codes(int32_t a, int32_t b, const multiply_t* t) {
    const int32_t product = (int32_t)(uint32_t)((int64_t)(a - t->a_zero) * (b - t->b_zero));
    return clip((int64_t)scaled(product, t->factor, t->shift) + t->zero, t->low, t->high);
}

/* kernel divide_codes */
/* The dividend with all its bits used, by the reciprocal of the divisor; a division by zero
 * saturates. */
static inline int32_t divide_codes(int32_t a, int32_t b, const multiply_t* t) {
    int32_t x = a - t->a_zero, z = b - t->b_zero, headroom, inverse, spare, steps, shift;
    if (z == 0)
        return clip((int64_t)(x == 0  ? 0
                              : x > 0 ? INT32_MAX
                                      : INT32_MIN) +
                        t->zero,
                    t->low, t->high);
    if (z < 0) {
        x = -x;
        z = -z;
    }
    headroom = leading_zeros((uint32_t)z);
    inverse = reciprocal_of_one_plus((int32_t)(((uint32_t)z << headroom) - 0x80000000u));
    spare = leading_zeros((uint32_t)(x < 0 ? -2 * x - 1 : x)) - (x < 0 ? 0 : 1);
    steps = high_product(high_product((int32_t)((uint32_t)x << spare), inverse), t->factor);
    shift = t->shift - (31 - headroom) - spare;
    if (shift > 0)
        steps = saturated_shift(steps, shift < 31 ? shift : 31);
    else
        steps = shifted_far(steps, -shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}

/* kernel qlinear_add */
/* onnxruntime's: the zero points are folded into one float, `fixed`, and rounded once. */
static inline int32_t qlinear_add(int32_t a, int32_t b, float a_ratio, float b_ratio, float fixed,
                                  int32_t low, int32_t high) {
    return quantize_one(
        fused_multiply_add((float)b, b_ratio, fused_multiply_add((float)a, a_ratio, fixed)), 0, low,
        high);
}

/* kernel qlinear_multiply */
static inline int32_t qlinear_multiply(int32_t a, int32_t b, float a_zero, float b_zero,
                                       float ratio, float y_zero, int32_t low, int32_t high) {
    return quantize_one(((float)a - a_zero) * ((float)b - b_zero) * ratio + y_zero, 0, low, high);
}
