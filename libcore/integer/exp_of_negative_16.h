#pragma once

#include "libcore/integer/high_16.h"
#include "libcore/integer/shifted_16.h"

/* exp(x) of x <= 0 with `integer` bits before the point, 15 bits behind it in the result. */
static int16_t exp_of_negative_16(int16_t x, int32_t integer) {
    static const int16_t factors[7] = {25520, 19875, 12055, 4435, 600, 11, 0}; /* exp(-1/4), exp(-1/2) ... exp(-16) */
    const int32_t fraction = 15 - integer, quarter = fraction >= 2 ? 1 << (fraction - 2) : 0;
    const int16_t base = 28918, third = 10923;
    int16_t below, a, a2, a3, a4, result;
    int32_t rest, i;
    if (x == 0) return INT16_MAX;
    below = (int16_t)((x & (quarter - 1)) - quarter);
    a = (int16_t)(shifted_16(below, integer) + (1 << 12));
    a2 = high_16(a, a);
    a3 = high_16(a2, a);
    a4 = high_16(a2, a2);
    {
        const int16_t sum = (int16_t)(high_16((int16_t)(shifted_16(a4, -2) + a3), third) + a2);
        const int32_t whole = base + high_16(base, (int16_t)(a + shifted_16(sum, -1)));
        result = (int16_t)(whole > INT16_MAX ? INT16_MAX : whole < INT16_MIN ? INT16_MIN : whole);
    }
    rest = (int32_t)((uint32_t)below - (uint32_t)x);
    for (i = 0; i < 7; ++i)
        if (integer > i - 2 && ((rest >> (fraction + i - 2)) & 1)) result = high_16(result, factors[i]);
    if (integer > 5 && x < -(1 << (36 - integer))) return 0;
    return result;
}
