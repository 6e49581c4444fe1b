#pragma once

#include <stdint.h>

/* Half of the bits of 2 * a * b, to nearest; saturated. */
static int16_t high_16(int16_t a, int16_t b) {
    const int32_t product = (int32_t)a * b;
    const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
    if (a == b && a == INT16_MIN) return INT16_MAX;
    return (int16_t)((product + nudge) / (1 << 15));
}
