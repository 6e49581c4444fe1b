#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/requant_t.h"
#include "libcore/integer/scaled_wide.h"

/* The code of a sum of products of 16-bit codes: by a factor in fixed point. */
static int32_t code_of_wide_sum(int64_t sum, int32_t factor, int32_t shift, const requant_t* q) {
    return clip((int64_t)scaled_wide(sum, factor, shift) + q->y_zero, q->y_low, q->y_high);
}
