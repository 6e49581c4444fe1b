/* Powers. */
#pragma once

#include "libcore/ops/portable/exp_log.h"

/* kernel size_power */
/* x^y of finite x > 0 and |y| < 1e20: exp(y log(x)), the logarithm and the product as sums of two
 * numbers. */
static inline double size_power(double x, double y) {
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
    low = ((n * 0.6931471803691238 - high) + 2.0 * s) +
          (n * 1.9082149292705877e-10 + 2.0 * error + s * series);
    sum = high + low;
    low += high - sum;
    product = y * sum;
    if (product > 710.0 || product < -746.0) return product > 0.0 ? 1.0 / 0.0 : 0.0;
    return exp_of_sum(product, product_error(y, sum, product) + y * low);
}

/* kernel double_pow */
/* x^y, with the results that C99 gives at the ends of the numbers. */
static inline double double_pow(double x, double y) {
    const double size = x < 0.0 ? -x : x, reach = y < 0.0 ? -y : y;
    const int whole =
        reach >= 9007199254740992.0 || (reach == reach && (double)(int64_t)reach == reach);
    const int odd = whole && reach < 9007199254740992.0 && ((int64_t)reach & 1);
    const int negative = odd && (x < 0.0 || (x == 0.0 && 1.0 / x < 0.0));
    double power;
    if (x == 1.0 || y == 0.0) return 1.0;
    if (x != x || y != y) return x + y;
    if (x < 0.0 && size - size == 0.0 && !whole) return 0.0 / (x - x);
    if (reach > 1e20 && size == 1.0) return 1.0;
    if (size == 0.0 || size - size != 0.0 || reach > 1e20)
        power = (size > 1.0) == (y > 0.0) ? 1.0 / 0.0 : 0.0;
    else
        power = size_power(size, y);
    return negative ? -power : power;
}

/* kernel whole_power */
/* x^y by squaring, the same on every processor. */
static inline float whole_power(float x, int32_t y) {
    double base = (double)x, product = 1.0;
    int32_t n;
    for (n = y < 0 ? -y : y; n > 0; n >>= 1, base *= base)
        if (n & 1) product *= base;
    return (float)(y < 0 ? 1.0 / product : product);
}

/* kernel float_pow */
/* x^y: by squaring for whole y of at most 64. */
static inline float float_pow(float x, float y) {
    if (y >= -64.0f && y <= 64.0f && y == (float)(int32_t)y) return whole_power(x, (int32_t)y);
    return (float)double_pow((double)x, (double)y);
}
