#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/high_product.h"
#include "libcore/integer/leading_zeros.h"
#include "libcore/integer/multiply_t.h"
#include "libcore/integer/reciprocal_of_one_plus.h"
#include "libcore/integer/saturated_shift.h"
#include "libcore/integer/shifted_far.h"

/* The dividend with all its bits used, by the reciprocal of the divisor; a division by zero saturates. */
static int32_t divide_codes(int32_t a, int32_t b, const multiply_t* t) {
    int32_t x = a - t->a_zero, z = b - t->b_zero, headroom, inverse, spare, steps, shift;
    if (z == 0) return clip((int64_t)(x == 0 ? 0 : x > 0 ? INT32_MAX : INT32_MIN) + t->zero, t->low, t->high);
    if (z < 0) {
        x = -x;
        z = -z;
    }
    headroom = leading_zeros((uint32_t)z);
    inverse = reciprocal_of_one_plus((int32_t)(((uint32_t)z << headroom) - 0x80000000u));
    spare = leading_zeros((uint32_t)(x < 0 ? -2 * x - 1 : x)) - (x < 0 ? 0 : 1);
    steps = high_product(high_product((int32_t)((uint32_t)x << spare), inverse), t->factor);
    shift = t->shift - (31 - headroom) - spare;
    if (shift > 0)
        steps = saturated_shift(steps, shift < 31 ? shift : 31);
    else
        steps = shifted_far(steps, -shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}
