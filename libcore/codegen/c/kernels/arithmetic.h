/* Functions of two numbers that are more than an expression. */
#pragma once

#include <stdint.h>

/* kernel whole_quotient: A MINUS_ONE */
/* Truncated; of a division by zero 0. */
static inline A whole_quotient(A u, A v) {
    if (v == 0) return 0;
    if (MINUS_ONE) return (A)(0 - (uint64_t)u);
    return (A)(u / v);
}

/* kernel whole_remainder: A MINUS_ONE OPPOSITE */
/* Of a division by zero 0. */
static inline A whole_remainder(A u, A v) {
    A rest;
    if (v == 0 || MINUS_ONE) return 0;
    rest = (A)(u % v);
    return OPPOSITE ? (A)(rest + v) : rest;
}

/* kernel real_remainder: A fmodf OPPOSITE */
static inline A real_remainder(A u, A v) {
    const A rest = fmodf(u, v);
    return OPPOSITE ? rest + v : rest;
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
