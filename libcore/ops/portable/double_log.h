#pragma once
#include "libcore/ops/portable/log_near_one.h"

/* log(x): x = m 2^n with m near 1. */
static double double_log(double x) {
    union {
        double real;
        uint64_t bits;
    } m;
    int32_t n = 0;
    m.real = x;
    if (!(x > 0.0) || m.bits == 0x7ff0000000000000ULL) return x == 0.0 ? -1.0 / 0.0 : x < 0.0 ? (x - x) / (x - x) : x;
    if (!(m.bits >> 52)) m.real *= 18014398509481984.0, n = -54;
    n += (int32_t)(m.bits >> 52) - 1023;
    m.bits = (m.bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
    if (m.real > 1.4142135623730951) m.real *= 0.5, ++n;
    return log_near_one(m.real - 1.0, n);
}
