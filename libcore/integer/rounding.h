/* Whole numbers multiplied, shifted and rounded in fixed point, within limits; real numbers rounded
 * to whole ones. */
#pragma once

#include <stdint.h>

/* kernel clip */
static inline int32_t clip(int64_t x, int32_t low, int32_t high) {
    return x < low ? low : x > high ? high : (int32_t)x;
}

/* kernel leading_zeros */
static inline int32_t leading_zeros(uint32_t x) {
    int32_t count = 0;
    while (count < 32 && !(x & 0x80000000u >> count)) ++count;
    return count;
}

/* kernel high_16 */
/* Half of the bits of 2 * a * b, to nearest; saturated. */
static inline int16_t high_16(int16_t a, int16_t b) {
    const int32_t product = (int32_t)a * b;
    const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
    if (a == b && a == INT16_MIN) return INT16_MAX;
    return (int16_t)((product + nudge) / (1 << 15));
}

/* kernel high_product */
/* High half of 2 * a * b, to nearest, ties up. */
static inline int32_t high_product(int32_t a, int32_t b) {
    const int64_t product = (int64_t)a * b;
    if (a == b && a == INT32_MIN) return INT32_MAX;
    return (int32_t)((product + ((int64_t)1 << 30)) >> 31);
}

/* kernel rounded_shift */
/* x / 2^n to nearest, ties away from zero; n is 0 to 62. */
static inline int32_t rounded_shift(int32_t x, int32_t n) {
    const int64_t half = ((int64_t)1 << n) >> 1;
    return (int32_t)((x + half - (n > 0 && x < 0)) >> n);
}

/* kernel saturated_shift */
/* x * 2^n, saturated. */
static inline int32_t saturated_shift(int32_t x, int32_t n) {
    return clip((int64_t)x * ((int64_t)1 << n), INT32_MIN, INT32_MAX);
}

/* kernel shifted_16 */
/* x * 2^n: saturated to the left, to nearest to the right, ties away from zero. */
static inline int16_t shifted_16(int16_t x, int32_t n) {
    if (n > 0) {
        const int32_t limit = (1 << (15 - n)) - 1;
        return (int16_t)(x > limit ? INT16_MAX : x < -limit ? INT16_MIN : x * (1 << n));
    }
    return (int16_t)rounded_shift(x, -n);
}

/* kernel shifted_far */
/* By 2^exponent; beyond 31 bits as the reference does on 64-bit processors. */
static inline int32_t shifted_far(int32_t x, int32_t exponent) {
    const int32_t mask = (int32_t)(uint32_t)(((uint64_t)1 << (exponent % 64)) - 1);
    return (x >> (exponent % 32)) + ((x & mask) > (mask >> 1) + (x < 0));
}

/* kernel scaled */
/* x * factor / 2^31 * 2^shift, rounded twice. */
static inline int32_t scaled(int32_t x, int32_t factor, int32_t shift) {
    const int32_t left = shift > 0 ? shift : 0, right = shift < 0 ? -shift : 0;
    return rounded_shift(high_product((int32_t)((uint32_t)x << left), factor), right);
}

/* kernel scaled_wide */
/* The same for 64-bit sums: the factor is cut to 16 bits, the product, modulo 2 to the 64, rounded
 * once, ties up. */
static inline int32_t scaled_wide(int64_t x, int32_t factor, int32_t shift) {
    const int64_t small = factor < 0x7fff0000 ? (factor + (1 << 15)) >> 16 : 0x7fff;
    const uint64_t product = (uint64_t)x * (uint64_t)small;
    const int32_t total = 15 - shift;
    if (total < 1) return (int32_t)(uint32_t)(product << -total);
    return (int32_t)(uint32_t)(uint64_t)((int64_t)(product + ((uint64_t)1 << (total - 1))) >>
                                         total);
}

/* kernel round_away */
/* To the nearest whole number within int32, ties away from zero. */
static inline int32_t round_away(double x) {
    int32_t whole;
    if (x >= 2147483647.0) return 2147483647;
    if (x <= -2147483647.0) return -2147483647;
    whole = (int32_t)x;
    if (x - whole >= 0.5) return whole + 1;
    if (x - whole <= -0.5) return whole - 1;
    return whole;
}

/* kernel round_even */
/* To the nearest whole number, ties to even. Needs float arithmetic that is neither wider nor
 * re-ordered. */
static inline float round_even(float x) {
    volatile float sum;
    if (x >= 8388608.0f || x <= -8388608.0f) return x;
    sum = x < 0.0f ? x - 8388608.0f : x + 8388608.0f;
    return x < 0.0f ? sum + 8388608.0f : sum - 8388608.0f;
}

/* kernel quantize_one */
/* The code of a real number that is `steps` steps from zero. */
static inline int32_t quantize_one(float steps, int32_t zero, int32_t low, int32_t high) {
    const float rounded = round_even(steps);
    if (!(rounded > -3.0e9f)) return rounded == rounded ? low : clip(zero, low, high);
    if (rounded > 3.0e9f) return high;
    return clip((int64_t)rounded + zero, low, high);
}

/* kernel fused_multiply_add */
/* a * b + c rounded once, for |a| < 2^9 whole: the product is exact in double, the sum's last bit
 * tells double rounding apart. */
static inline float fused_multiply_add(float a, float b, float c) {
    union {
        double real;
        uint64_t bits;
    } sum;
    const double product = (double)a * (double)b, add = (double)c;
    double rest, part;
    sum.real = product + add;
    part = sum.real - product;
    rest = (product - (sum.real - part)) + (add - part);
    if (rest != 0.0 && !(sum.bits & 1) && sum.real != 0.0) {
        if ((rest > 0.0) == (sum.real > 0.0))
            ++sum.bits;
        else
            --sum.bits;
    }
    return (float)sum.real;
}
