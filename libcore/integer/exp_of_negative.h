#pragma once

#include "libcore/integer/high_product.h"
#include "libcore/integer/rounded_shift.h"
#include "libcore/integer/saturated_shift.h"

/* exp(a) of -1/4 <= a < 0: its Taylor series around -1/8. Fractions of 2^31. */
static int32_t exp_near_zero(int32_t a) {
    const int32_t middle = 1895147668, third = 715827883;
    const int32_t x = (int32_t)((uint32_t)a + (1u << 28));
    const int32_t x2 = high_product(x, x), x3 = high_product(x2, x), x4 = high_product(x2, x2);
    const int32_t cubic = high_product((int32_t)((uint32_t)rounded_shift(x4, 2) + (uint32_t)x3), third);
    const int32_t tail = rounded_shift((int32_t)((uint32_t)cubic + (uint32_t)x2), 1);
    return (int32_t)((uint32_t)middle + (uint32_t)high_product(middle, (int32_t)((uint32_t)x + (uint32_t)tail)));
}

/* exp(x) of x <= 0 with 26 fractional bits, as a fraction of 2^31. */
static int32_t exp_of_negative(int32_t x) {
    static const int32_t powers[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    const int32_t quarter = 1 << 24;
    const int32_t part = (x & (quarter - 1)) - quarter;
    const int32_t rest = (int32_t)((uint32_t)part - (uint32_t)x);
    int32_t result, i;
    if (x == 0) return INT32_MAX;
    result = exp_near_zero(saturated_shift(part, 5));
    for (i = 0; i < 7; ++i)
        if (rest & (1 << (24 + i))) result = high_product(result, powers[i]);
    return result;
}
