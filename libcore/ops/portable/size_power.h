#pragma once
#include "libcore/ops/portable/exp_of_sum.h"
#include "libcore/ops/portable/product_error.h"

/* x^y of finite x > 0 and |y| < 1e20: exp(y log(x)), the logarithm and the product as sums of two numbers. */
static double size_power(double x, double y) {
    union {
        double real;
        uint64_t bits;
    } m;
    double sum, error, s, s2, series = 0.0, high, low, product;
    int32_t n = 0, k;
    m.real = x;
    if (!(m.bits >> 52)) m.real *= 18014398509481984.0, n = -54;
    n += (int32_t)(m.bits >> 52) - 1023;
    m.bits = (m.bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
    if (m.real > 1.4142135623730951) m.real *= 0.5, ++n;
    sum = m.real + 1.0;
    error = m.real < 1.0 ? m.real - (sum - 1.0) : 1.0 - (sum - m.real);
    s = (m.real - 1.0) / sum;
    product = s * sum;
    error = (((m.real - 1.0) - product) - product_error(s, sum, product) - s * error) / sum;
    s2 = s * s;
    for (k = 25; k > 1; k -= 2) series = (series + 2.0 / k) * s2;
    high = n * 0.6931471803691238 + 2.0 * s;
    low = ((n * 0.6931471803691238 - high) + 2.0 * s) + (n * 1.9082149292705877e-10 + 2.0 * error + s * series);
    sum = high + low;
    low += high - sum;
    product = y * sum;
    if (product > 710.0 || product < -746.0) return product > 0.0 ? 1.0 / 0.0 : 0.0;
    return exp_of_sum(product, product_error(y, sum, product) + y * low);
}
