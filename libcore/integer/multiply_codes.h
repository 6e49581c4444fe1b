#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/multiply_t.h"
#include "libcore/integer/scaled.h"

static int32_t multiply_codes(int32_t a, int32_t b, const multiply_t* t) {
    const int32_t product = (int32_t)(uint32_t)((int64_t)(a - t->a_zero) * (b - t->b_zero));
    return clip((int64_t)scaled(product, t->factor, t->shift) + t->zero, t->low, t->high);
}
