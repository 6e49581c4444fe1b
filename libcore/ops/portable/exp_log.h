/* Exponentials and logarithms. */
#pragma once

/* kernel power_of_two */
/* 2^n, -1022 <= n <= 1023. */
static inline double power_of_two(int32_t n) {
    union {
        uint64_t bits;
        double real;
    } power;
    power.bits = (uint64_t)(n + 1023) << 52;
    return power.real;
}

/* kernel wide_exp */
/* exp(x) of |x| < 700: x = n ln 2 + r, ln 2 in two parts; the Taylor series of exp(r), |r| <= ln 2
 * / 2, is within 1e-11. */
static inline double wide_exp(double x) {
    const double steps = x * 1.4426950408889634;
    const int32_t n = (int32_t)(steps < 0.0 ? steps - 0.5 : steps + 0.5);
    const double r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10, r2 = r * r,
                 r4 = r2 * r2;
    const double low = (1.0 + r) + (1.0 / 2.0 + r * (1.0 / 6.0)) * r2;
    const double high = (1.0 / 24.0 + r * (1.0 / 120.0)) + (1.0 / 720.0 + r * (1.0 / 5040.0)) * r2;
    const double series = (low + high * r4) + (1.0 / 40320.0 + r * (1.0 / 362880.0)) * (r4 * r4);
    return series * power_of_two(n);
}

/* kernel exp_of_sum */
/* exp(x + more), |more| < 1e-12: x = n ln 2 + r, ln 2 in two parts, r with its rounding error; the
   Taylor series of exp(r), |r| <= ln 2 / 2. */
static inline double exp_of_sum(double x, double more) {
    double steps, high, low, r, error, series = 1.0;
    int32_t n, k;
    if (x != x) return x;
    if (x > 709.8) return 1.0 / 0.0;
    if (x < -745.2) return 0.0;
    steps = x * 1.4426950408889634;
    n = (int32_t)(steps < 0.0 ? steps - 0.5 : steps + 0.5);
    high = x - n * 0.6931471803691238;
    low = n * 1.9082149292705877e-10;
    r = high - low;
    error = ((high - r) - low) + more;
    for (k = 14; k > 2; --k) series = 1.0 + series * r / k;
    series *= r * r * 0.5;
    series = 1.0 + (r + (error * (1.0 + r + series) + series));
    return series * power_of_two(n / 2) * power_of_two(n - n / 2);
}

/* kernel product_error */
/* a b - product exactly, product being a b rounded; neither factor above 1e200. */
static inline double product_error(double a, double b, double product) {
    const double wide_a = a * 134217729.0, wide_b = b * 134217729.0;
    const double a1 = wide_a - (wide_a - a), a2 = a - a1, b1 = wide_b - (wide_b - b), b2 = b - b1;
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* kernel double_exp */
/* exp(x) */
static inline double double_exp(double x) { return exp_of_sum(x, 0.0); }

/* kernel double_expm1 */
/* exp(x) - 1, near 0 by its Taylor series. */
static inline double double_expm1(double x) {
    double series = 1.0;
    int32_t k;
    if (x == 0.0) return x;
    if (x > 0.35 || x < -0.35) return double_exp(x) - 1.0;
    for (k = 15; k > 2; --k) series = 1.0 + series * x / k;
    return x + series * x * x * 0.5;
}

/* kernel float_exp */
/* exp(x), the same on every processor. */
static inline float float_exp(float x) {
    if (x != x) return x;
    if (x > 89.0f) return 1.0f / 0.0f;
    if (x < -104.0f) return 0.0f;
    return (float)wide_exp((double)x);
}

/* kernel log_near_one */
/* log((1 + f) 2^n), -0.3 < f < 0.42: the series of 2 artanh(s), s = f / (2 + f), without the error
 * of f - f^2 / 2. */
static inline double log_near_one(double f, int32_t n) {
    const double s = f / (2.0 + f), s2 = s * s, half = 0.5 * f * f;
    double series = 0.0;
    int32_t k;
    for (k = 25; k > 1; k -= 2) series = (series + 2.0 / k) * s2;
    return n * 0.6931471803691238 -
           ((half - (s * (half + series) + n * 1.9082149292705877e-10)) - f);
}

/* kernel double_log */
/* log(x): x = m 2^n with m near 1. */
static inline double double_log(double x) {
    union {
        double real;
        uint64_t bits;
    } m;
    int32_t n = 0;
    m.real = x;
    if (!(x > 0.0) || m.bits == 0x7ff0000000000000ULL)
        return x == 0.0 ? -1.0 / 0.0 : x < 0.0 ? 0.0 / (x - x) : x;
    if (!(m.bits >> 52)) m.real *= 18014398509481984.0, n = -54;
    n += (int32_t)(m.bits >> 52) - 1023;
    m.bits = (m.bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
    if (m.real > 1.4142135623730951) m.real *= 0.5, ++n;
    return log_near_one(m.real - 1.0, n);
}

/* kernel double_log1p */
/* log(1 + x); what the sum loses is added to first order. */
static inline double double_log1p(double x) {
    const double sum = 1.0 + x;
    if (x == 0.0) return x;
    if (x > -0.29 && x < 0.41) return log_near_one(x, 0);
    if (!(sum > 0.0) || x > 1e300) return double_log(sum);
    return double_log(sum) + (x > 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0)) / sum;
}

/* kernel float_log */
/* log(x), the same on every processor: x = m 2^n with m near 1, the series of 2 artanh((m - 1) / (m
 * + 1)). */
static inline float float_log(float x) {
    union {
        double real;
        uint64_t bits;
    } m;
    double s, s2, s4, low, high;
    int32_t n;
    if (!(x > 0.0f) || x > 3.402823466e38f)
        return x == 0.0f ? -1.0f / 0.0f : x < 0.0f ? 0.0f / (x - x) : x;
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
