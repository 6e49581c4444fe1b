#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/requant_t.h"
#include "libcore/integer/round_away.h"

/* The code of a sum of products by a factor in double, ties away from zero. */
static int32_t code_of_double(double sum, double factor, const requant_t* q) {
    return clip((int64_t)round_away(sum * factor) + q->y_zero, q->y_low, q->y_high);
}
