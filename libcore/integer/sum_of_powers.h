#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/rounded_shift.h"
#include "libcore/integer/sum_t.h"

/* Codes whose scales are powers of two, shifted to that of the result. */
static int32_t sum_of_powers(int32_t a, int32_t b, const sum_t* t) {
    const int32_t p = rounded_shift(a - t->a_zero, t->a_shift), q = rounded_shift(b - t->b_zero, t->b_shift);
    const int32_t sum = clip((int64_t)p + (int64_t)t->sign * q, INT16_MIN, INT16_MAX);
    return clip((int64_t)sum + t->zero, t->low, t->high);
}
