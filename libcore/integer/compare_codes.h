#pragma once

#include "libcore/integer/compare_t.h"
#include "libcore/integer/scaled.h"

/* The order of two codes by their scales, with 8 more bits: below 0, 0, above 0. */
static int32_t compare_codes(int32_t a, int32_t b, const compare_t* t) {
    const int32_t u = a - t->a_zero, v = b - t->b_zero;
    const int32_t p = t->plain ? u : scaled((int32_t)((uint32_t)u << 8), t->a_factor, t->a_shift);
    const int32_t q = t->plain ? v : scaled((int32_t)((uint32_t)v << 8), t->b_factor, t->b_shift);
    return (p > q) - (p < q);
}
