#pragma once

/* kernel square_root */
/* sqrt(x), correctly rounded, digit by digit. */
static inline double square_root(double x) {
    union {
        double real;
        uint64_t bits;
    } n;
    uint64_t m, root = 0, rest = 0;
    int32_t e, i;
    n.real = x;
    if (!(x > 0.0) || n.bits == 0x7ff0000000000000ULL) return x < 0.0 ? 0.0 / (x - x) : x;
    e = (int32_t)(n.bits >> 52);
    m = n.bits & 0xfffffffffffffULL;
    if (e == 0)
        for (e = 1; !(m >> 52); --e) m <<= 1;
    else
        m |= 1ULL << 52;
    e -= 1023;
    if (e & 1) {
        m <<= 1;
        --e;
    }
    for (i = 0; i < 54; ++i) {
        rest = rest << 2 | (i < 27 ? m >> (52 - 2 * i) & 3 : 0);
        root <<= 1;
        if (rest >= (root << 1 | 1)) {
            rest -= root << 1 | 1;
            root |= 1;
        }
    }
    n.bits = ((uint64_t)(e / 2 + 1023) << 52) + ((root + 1) >> 1) - (1ULL << 52);
    return n.real;
}
