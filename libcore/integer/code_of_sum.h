#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/requant_t.h"
#include "libcore/integer/scaled.h"

/* The code of a sum of products, of which 32 bits count: by a factor in fixed point. */
static int32_t code_of_sum(int64_t sum, int32_t factor, int32_t shift, const requant_t* q) {
    return clip((int64_t)scaled((int32_t)(uint32_t)(uint64_t)sum, factor, shift) + q->y_zero, q->y_low, q->y_high);
}
