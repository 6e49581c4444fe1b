#pragma once

#include <stdint.h>

/* High half of 2 * a * b, to nearest, ties up. */
static int32_t high_product(int32_t a, int32_t b) {
    const int64_t product = (int64_t)a * b;
    if (a == b && a == INT32_MIN) return INT32_MAX;
    return (int32_t)((product + ((int64_t)1 << 30)) >> 31);
}
