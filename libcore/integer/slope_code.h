#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/scaled.h"
#include "libcore/integer/slope_t.h"

/* A code by one factor, below zero times a slope. */
static int32_t slope_code(int32_t a, int32_t b, const slope_t* t) {
    const int32_t code = a - t->a_zero;
    const int32_t product = (int32_t)((uint32_t)code * (uint32_t)(b - t->b_zero));
    const int32_t steps = code >= 0 ? scaled(code, t->factor, t->shift) : scaled(product, t->below_factor, t->below_shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}
