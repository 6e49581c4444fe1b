/* holes: CODE RESULT */
#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/elements.h"
#include "libcore/integer/exp_of_negative.h"
#include "libcore/integer/high_product.h"
#include "libcore/integer/leading_zeros.h"
#include "libcore/integer/reciprocal_of_one_plus.h"
#include "libcore/integer/rounded_shift.h"
#include "libcore/integer/softmax_t.h"

/* Softmax of each line, results from the least code on. */
static void softmax_codes(const CODE* x, RESULT* y, int32_t lines, int32_t length, const softmax_t* t) {
    int32_t line, i;
    for (line = 0; line < lines; ++line, x += length, y += length) {
        int32_t top = (int32_t)x[0], sum = 0, headroom, reciprocal;
        for (i = 1; i < length; ++i)
            if (x[i] > top) top = (int32_t)x[i];
        for (i = 0; i < length; ++i) {
            const int32_t below = (int32_t)x[i] - top;
            if (below < -t->reach) continue;
            sum = (int32_t)((uint32_t)sum +
                            (uint32_t)rounded_shift(exp_of_negative(high_product((int32_t)((uint32_t)below << t->shift), t->factor)), 12));
        }
        headroom = leading_zeros((uint32_t)sum);
        reciprocal = reciprocal_of_one_plus((int32_t)(((uint32_t)sum << headroom) - 0x80000000u));
        for (i = 0; i < length; ++i) {
            const int32_t below = (int32_t)x[i] - top;
            int64_t code = t->low;
            if (below >= -t->reach)
                code += rounded_shift(
                    high_product(reciprocal, exp_of_negative(high_product((int32_t)((uint32_t)below << t->shift), t->factor))),
                    t->bits - headroom);
            y[i] = (RESULT)clip(code, t->low, t->high);
        }
    }
}
