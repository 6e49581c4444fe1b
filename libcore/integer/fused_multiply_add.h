#pragma once

#include <stdint.h>

/* a * b + c rounded once, for |a| < 2^9 whole: the product is exact in double, the sum's last bit tells double rounding apart. */
static float fused_multiply_add(float a, float b, float c) {
    union {
        double real;
        uint64_t bits;
    } sum;
    const double product = (double)a * (double)b, add = (double)c;
    double rest, part;
    sum.real = product + add;
    part = sum.real - product;
    rest = (product - (sum.real - part)) + (add - part);
    if (rest != 0.0 && !(sum.bits & 1) && sum.real != 0.0) {
        if ((rest > 0.0) == (sum.real > 0.0))
            ++sum.bits;
        else
            --sum.bits;
    }
    return (float)sum.real;
}
