#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/scaled.h"
#include "libcore/integer/sum_t.h"

static int32_t square_difference(int32_t a, int32_t b, const sum_t* t) {
    const int32_t p = scaled((int32_t)((uint32_t)(a - t->a_zero) << t->bits), t->a_factor, t->a_shift);
    const int32_t q = scaled((int32_t)((uint32_t)(b - t->b_zero) << t->bits), t->b_factor, t->b_shift);
    const uint32_t difference = (uint32_t)p - (uint32_t)q;
    return clip((int64_t)scaled((int32_t)(difference * difference), t->factor, t->shift) + t->zero, t->low, t->high);
}
