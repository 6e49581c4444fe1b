/* Functions of two numbers that are more than an expression. */
#pragma once

#include <stdint.h>

/* kernel whole_quotient: A SPECIAL */
/* Truncated; of a division by zero 0. */
static inline A whole_quotient(A u, A v) {
    if (v == 0) return 0;
    SPECIAL
    return (A)(u / v);
}

/* kernel whole_remainder: A SPECIAL */
/* With the sign of the dividend; of a division by zero 0. */
static inline A whole_remainder(A u, A v) {
    if (v == 0) return 0;
    SPECIAL
    return (A)(u % v);
}

/* kernel remainder_of_divisor: A REMAINDER */
/* With the sign of the divisor. */
static inline A remainder_of_divisor(A u, A v) {
    const A rest = REMAINDER(u, v);
    return rest != 0 && (rest < 0) != (v < 0) ? (A)(rest + v) : rest;
}

/* kernel whole_power_of: A */
/* u to the power v, wrapping around. */
static inline A whole_power_of(A u, int64_t v) {
    uint64_t power = 1, factor = (uint64_t)u, left;
    if (v < 0) return u == 1 ? 1 : u == -1 ? (v % 2 ? -1 : 1) : 0;
    for (left = (uint64_t)v; left; left >>= 1) {
        if (left & 1) power *= factor;
        factor *= factor;
    }
    return (A)power;
}
