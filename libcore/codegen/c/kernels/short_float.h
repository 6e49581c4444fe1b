/* Float16 and bfloat16, held as bits, from and to float. */
#pragma once

#include <stdint.h>

/* kernel float_bits */
/* A float and its bits. */
typedef union {
    uint32_t bits;
    float number;
} float_bits;

/* kernel halves_to_floats */
static inline void halves_to_floats(const uint16_t* x, float* y, int32_t count) {
    int32_t i;
    for (i = 0; i < count; ++i) {
        const uint32_t exponent = x[i] >> 10 & 31u, fraction = x[i] & 0x3ffu;
        float_bits u;
        if (exponent == 0) /* steps of 2^-24 */
            u.number = (float)fraction * 5.9604644775390625e-8f;
        else
            u.bits = (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
        u.bits |= (uint32_t)(x[i] & 0x8000u) << 16;
        y[i] = u.number;
    }
}

/* kernel floats_to_halves */
/* To nearest, ties to even. */
static inline void floats_to_halves(const float* x, uint16_t* y, int32_t count) {
    int32_t i;
    for (i = 0; i < count; ++i) {
        float_bits u;
        uint32_t sign, half;
        u.number = x[i];
        sign = u.bits >> 16 & 0x8000u;
        u.bits &= 0x7fffffffu;
        if (u.bits > 0x7f800000u) {
            half = 0x7e00u;
        } else if (u.bits >= 0x47800000u) {
            half = 0x7c00u;
        } else if (u.bits < 0x38800000u) {
            /* The last bit of 0.5 is a step of the smallest numbers. */
            u.number += 0.5f;
            half = u.bits - 0x3f000000u;
        } else {
            half = (u.bits - 0x38000000u + 0xfffu + (u.bits >> 13 & 1u)) >> 13;
        }
        y[i] = (uint16_t)(sign | half);
    }
}

/* kernel bfloats_to_floats */
static inline void bfloats_to_floats(const uint16_t* x, float* y, int32_t count) {
    int32_t i;
    for (i = 0; i < count; ++i) {
        float_bits u;
        u.bits = (uint32_t)x[i] << 16;
        y[i] = u.number;
    }
}

/* kernel floats_to_bfloats */
/* To nearest, ties to even. */
static inline void floats_to_bfloats(const float* x, uint16_t* y, int32_t count) {
    int32_t i;
    for (i = 0; i < count; ++i) {
        float_bits u;
        u.number = x[i];
        if ((u.bits & 0x7fffffffu) > 0x7f800000u)
            u.bits |= 0x400000u;
        else
            u.bits += 0x7fffu + (u.bits >> 16 & 1u);
        y[i] = (uint16_t)(u.bits >> 16);
    }
}
