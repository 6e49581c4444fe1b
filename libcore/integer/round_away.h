#pragma once

#include <stdint.h>

/* To the nearest whole number within int32, ties away from zero. */
static int32_t round_away(double x) {
    int32_t whole;
    if (x >= 2147483647.0) return 2147483647;
    if (x <= -2147483647.0) return -2147483647;
    whole = (int32_t)x;
    if (x - whole >= 0.5) return whole + 1;
    if (x - whole <= -0.5) return whole - 1;
    return whole;
}
