#pragma once

/* log(x), the same on every processor: x = m 2^n with m near 1, the series of 2 artanh((m - 1) / (m + 1)). */
static float float_log(float x) {
    union {
        double real;
        uint64_t bits;
    } m;
    double s, s2, s4, low, high;
    int32_t n;
    if (!(x > 0.0f) || x > 3.402823466e38f) return x == 0.0f ? -1.0f / 0.0f : x < 0.0f ? 0.0f / 0.0f : x;
    m.real = (double)x;
    n = (int32_t)(m.bits >> 52) - 1023;
    m.bits = (m.bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
    if (m.real > 1.4142135623730951) m.real *= 0.5, ++n;
    s = (m.real - 1.0) / (m.real + 1.0);
    s2 = s * s;
    s4 = s2 * s2;
    low = (1.0 + s2 * (1.0 / 3.0)) + (1.0 / 5.0 + s2 * (1.0 / 7.0)) * s4;
    high = (1.0 / 9.0 + s2 * (1.0 / 11.0)) + (1.0 / 13.0 + s2 * (1.0 / 15.0)) * s4;
    return (float)(n * 0.6931471805599453 + 2.0 * s * (low + high * (s4 * s4)));
}
