/* Functions of one code in fixed point or by tables. */
#pragma once

#include <stdint.h>

#include "libcore/integer/requantize.h"
#include "libcore/integer/rounding.h"
#include "libcore/ops/portable/square_root.h"

/* kernel exp_of_negative */
/* exp(a) of -1/4 <= a < 0: its Taylor series around -1/8. Fractions of 2^31. */
static inline int32_t exp_near_zero(int32_t a) {
    const int32_t middle = 1895147668, third = 715827883;
    const int32_t x = (int32_t)((uint32_t)a + (1u << 28));
    const int32_t x2 = high_product(x, x), x3 = high_product(x2, x), x4 = high_product(x2, x2);
    const int32_t cubic =
        high_product((int32_t)((uint32_t)rounded_shift(x4, 2) + (uint32_t)x3), third);
    const int32_t tail = rounded_shift((int32_t)((uint32_t)cubic + (uint32_t)x2), 1);
    return (int32_t)((uint32_t)middle +
                     (uint32_t)high_product(middle, (int32_t)((uint32_t)x + (uint32_t)tail)));
}

/* exp(x) of x <= 0 with 26 fractional bits, as a fraction of 2^31. */
static inline int32_t exp_of_negative(int32_t x) {
    static const int32_t powers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                      39332535,   720401,     242};
    const int32_t quarter = 1 << 24;
    const int32_t part = (x & (quarter - 1)) - quarter;
    const int32_t rest = (int32_t)((uint32_t)part - (uint32_t)x);
    int32_t result, i;
    if (x == 0) return INT32_MAX;
    result = exp_near_zero(saturated_shift(part, 5));
    for (i = 0; i < 7; ++i)
        if (rest & (1 << (24 + i))) result = high_product(result, powers[i]);
    return result;
}

/* kernel reciprocal_of_one_plus */
/* 1 / (1 + x) of 0 <= x < 1, fractions of 2^31: three steps of Newton's method. */
static inline int32_t reciprocal_of_one_plus(int32_t x) {
    const int64_t sum = (int64_t)x + INT32_MAX;
    const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int32_t y = (int32_t)((uint32_t)1515870810 + (uint32_t)high_product(half, -1010580540));
    int32_t round;
    for (round = 0; round < 3; ++round) {
        const int32_t error = (int32_t)((1u << 29) - (uint32_t)high_product(half, y));
        y = (int32_t)((uint32_t)y + (uint32_t)saturated_shift(high_product(y, error), 2));
    }
    return saturated_shift(y, 1);
}

/* kernel exp_of_negative_16 */
/* exp(x) of x <= 0 with `integer` bits before the point, 15 bits behind it in the result. */
static inline int16_t exp_of_negative_16(int16_t x, int32_t integer) {
    static const int16_t factors[7] = {25520, 19875, 12055, 4435,
                                       600,   11,    0}; /* exp(-1/4), exp(-1/2) ... exp(-16) */
    const int32_t fraction = 15 - integer, quarter = fraction >= 2 ? 1 << (fraction - 2) : 0;
    const int16_t base = 28918, third = 10923;
    int16_t below, a, a2, a3, a4, result;
    int32_t rest, i;
    if (x == 0) return INT16_MAX;
    below = (int16_t)((x & (quarter - 1)) - quarter);
    a = (int16_t)(shifted_16(below, integer) + (1 << 12));
    a2 = high_16(a, a);
    a3 = high_16(a2, a);
    a4 = high_16(a2, a2);
    {
        const int16_t sum = (int16_t)(high_16((int16_t)(shifted_16(a4, -2) + a3), third) + a2);
        const int32_t whole = base + high_16(base, (int16_t)(a + shifted_16(sum, -1)));
        result = (int16_t)(whole > INT16_MAX ? INT16_MAX : whole < INT16_MIN ? INT16_MIN : whole);
    }
    rest = (int32_t)((uint32_t)below - (uint32_t)x);
    for (i = 0; i < 7; ++i)
        if (integer > i - 2 && ((rest >> (fraction + i - 2)) & 1))
            result = high_16(result, factors[i]);
    if (integer > 5 && x < -(1 << (36 - integer))) return 0;
    return result;
}

/* kernel double_reciprocal_16 */
/* 2 / (1 + x) with 13 bits behind the point, of 0 <= x <= 1. */
static inline int16_t double_reciprocal_16(int16_t x) {
    const int32_t sum = (int32_t)x + INT16_MAX;
    const int16_t half = (int16_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int16_t y = (int16_t)(23130 + high_16(half, -15420));
    int32_t round;
    for (round = 0; round < 3; ++round) {
        const int16_t rest = (int16_t)((1 << 13) - high_16(half, y));
        y = (int16_t)(y + shifted_16(high_16(y, rest), 2));
    }
    return y;
}

/* kernel logistic_16 */
/* Of x with 3 bits before the point; 15 behind it in the result. */
static inline int16_t logistic_16(int16_t x) {
    int16_t positive;
    if (x == 0) return 1 << 14;
    positive =
        shifted_16(double_reciprocal_16(exp_of_negative_16((int16_t)(x > 0 ? -x : x), 3)), 1);
    return x > 0 ? positive : (int16_t)(INT16_MAX - positive);
}

/* kernel tanh_16 */
/* Of x with `integer` bits before the point, up to 6; 15 behind it in the result. */
static inline int16_t tanh_16(int16_t x, int32_t integer) {
    int16_t size;
    if (x == 0) return 0;
    size = shifted_16(
        (int16_t)(double_reciprocal_16(exp_of_negative_16((int16_t)(x > 0 ? -x : x), integer + 1)) -
                  (1 << 13)),
        2);
    return x > 0 ? size : (int16_t)-size;
}

/* kernel on_lines */
/* A function of 16-bit codes as straight lines between numbers at every 128th code. */
static inline int32_t on_lines(int32_t code, const int16_t* lines) {
    const int32_t at = (code + 32768) >> 7;
    return lines[at] + (((int16_t)(lines[at + 1] - lines[at]) * (code & 127) + 64) >> 7);
}

/* kernel logistic_codes */
/* 1 / (1 + exp(-x)), or tanh(x), of a code scaled to multiples of 1 / 12288, with 15 bits behind
   the point: straight lines between numbers at multiples of 1/24. */
static inline int32_t logistic_codes(int32_t x, int32_t factor, int32_t shift, int32_t is_tanh,
                                     const uint16_t* table) {
    const int32_t bits = is_tanh ? 8 : 9, half = 1 << bits;
    int32_t scaled_x = (int32_t)((uint32_t)x * (uint32_t)factor), size, at, y;
    scaled_x =
        (int32_t)(((int64_t)scaled_x + (shift > 0 ? (int64_t)1 << (shift - 1) : 0)) >> shift);
    size = scaled_x < 0 ? -scaled_x : scaled_x;
    at = size >> bits;
    if (at >= 255)
        y = is_tanh ? 0xffff << 8 : 0x7fff << 10;
    else
        y = ((int32_t)table[at] << bits) + (size & (half - 1)) * (table[at + 1] - table[at]);
    if (is_tanh)
        return (scaled_x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1) >> 8;
    return (scaled_x >= 0 ? y + half : (1 << 25) - y + half - 1) >> 10;
}

/* kernel inverse_root */
/* 1 / sqrt(x) as a factor and a shift, of x > 0; 1 for 0: five steps of Newton's method. */
static inline int32_t inverse_root(int32_t x, int32_t* shift) {
    int32_t right = 11, pairs, input, half, y = 1 << 28, round, root;
    *shift = 0;
    if (x <= 1) return INT32_MAX;
    for (; x >= 1 << 29; ++right) x /= 4;
    pairs = (leading_zeros((uint32_t)x) - 1) / 2 - 1;
    input = (x << (2 * pairs)) >> 1;
    half = rounded_shift(input, 1);
    right -= pairs;
    for (round = 0; round < 5; ++round) {
        const int32_t cube = saturated_shift(high_product(high_product(y, y), y), 6);
        const uint32_t less =
            (uint32_t)high_product((1 << 28) + (1 << 27), y) - (uint32_t)high_product(half, cube);
        y = saturated_shift((int32_t)less, 3);
    }
    root = high_product(y, 1518500250);
    if (right < 0) return (int32_t)((uint32_t)root << -right);
    *shift = -right;
    return root;
}

/* kernel root_code */
/* Cut off; 0 where there is no root. */
static inline int64_t root_code(int32_t code, float x_scale, float y_scale) {
    const float steps =
        code < 0 ? 0.0f : (float)square_root((double)(x_scale * (float)code)) / y_scale;
    return (int64_t)(steps < 1e9f ? steps : 1e9f);
}

/* kernel size_code */
static inline int32_t size_code(int32_t x, const rescale_t* t) {
    const int32_t code = x - t->x_zero;
    return clip((int64_t)scaled(code < 0 ? -code : code, t->factor, t->shift) + t->zero, t->low,
                t->high);
}

/* kernel leaky_t */
/* A code by one factor, another below zero. */
typedef struct {
    int32_t x_zero, factor, shift, below_factor, below_shift, zero, low, high;
} leaky_t;

/* kernel leaky_code */
static inline int32_t leaky_code(int32_t x, const leaky_t* t) {
    const int32_t code = (int32_t)((uint32_t)x - (uint32_t)t->x_zero);
    const int32_t steps = code >= 0 ? scaled(code, t->factor, t->shift)
                                    : scaled(code, t->below_factor, t->below_shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}

/* kernel slope_t */
typedef struct {
    int32_t a_zero, b_zero, factor, shift, below_factor, below_shift, zero, low, high;
} slope_t;

/* kernel slope_code */
/* A code by one factor, below zero times a slope. */
static inline int32_t slope_code(int32_t a, int32_t b, const slope_t* t) {
    const int32_t code = a - t->a_zero;
    const int32_t product = (int32_t)((uint32_t)code * (uint32_t)(b - t->b_zero));
    const int32_t steps = code >= 0 ? scaled(code, t->factor, t->shift)
                                    : scaled(product, t->below_factor, t->below_shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}
