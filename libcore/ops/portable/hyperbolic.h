/* Hyperbolic functions and their inverses. */
#pragma once

#include "libcore/ops/portable/exp_log.h"
#include "libcore/ops/portable/square_root.h"

/* kernel double_sinh */
/* sinh(x) */
static inline double double_sinh(double x) {
    const double size = x < 0.0 ? -x : x, half = x < 0.0 ? -0.5 : 0.5;
    double e;
    if (x != x || x == 0.0) return x;
    if (size > 22.0) {
        e = double_exp(0.5 * size);
        return half * e * e;
    }
    e = double_expm1(size);
    return half * (size < 1.0 ? 2.0 * e - e * e / (e + 1.0) : e + e / (e + 1.0));
}

/* kernel double_cosh */
/* cosh(x) */
static inline double double_cosh(double x) {
    const double size = x < 0.0 ? -x : x;
    double e;
    if (size > 22.0) {
        e = double_exp(0.5 * size);
        return 0.5 * e * e;
    }
    e = double_exp(size);
    return 0.5 * e + 0.5 / e;
}

/* kernel double_tanh */
/* tanh(x) */
static inline double double_tanh(double x) {
    const double size = x < 0.0 ? -x : x;
    double e;
    if (x != x || x == 0.0) return x;
    if (size > 22.0) return x < 0.0 ? -1.0 : 1.0;
    e = double_expm1(-2.0 * size);
    return x < 0.0 ? e / (e + 2.0) : -e / (e + 2.0);
}

/* kernel float_tanh */
/* tanh(x), the same on every processor. */
static inline float float_tanh(float x) {
    const double wide = (double)x;
    double e;
    if (x != x || (x < 1e-3f && x > -1e-3f))
        return (float)(wide * (1.0 - wide * wide * (1.0 / 3.0)));
    if (x > 10.0f || x < -10.0f) return x > 0.0f ? 1.0f : -1.0f;
    e = wide_exp(wide + wide);
    return (float)((e - 1.0) / (e + 1.0));
}

/* kernel double_asinh */
/* asinh(x) */
static inline double double_asinh(double x) {
    const double size = x < 0.0 ? -x : x, square = x * x;
    double y;
    if (x != x || x == 0.0) return x;
    if (size > 1e9)
        y = double_log(size) + 0.6931471805599453;
    else if (size > 2.0)
        y = double_log(2.0 * size + 1.0 / (square_root(square + 1.0) + size));
    else
        y = double_log1p(size + square / (1.0 + square_root(1.0 + square)));
    return x < 0.0 ? -y : y;
}

/* kernel double_acosh */
/* acosh(x); not a number below 1. */
static inline double double_acosh(double x) {
    const double more = x - 1.0;
    if (!(x >= 1.0)) return 0.0 / (x - x);
    if (x > 1e9) return double_log(x) + 0.6931471805599453;
    if (x > 2.0) return double_log(2.0 * x - 1.0 / (x + square_root(x * x - 1.0)));
    return double_log1p(more + square_root(2.0 * more + more * more));
}

/* kernel double_atanh */
/* atanh(x); not a number beyond -1 and 1. */
static inline double double_atanh(double x) {
    const double size = x < 0.0 ? -x : x;
    const double y = 0.5 * double_log1p(2.0 * size / (1.0 - size));
    if (x != x || x == 0.0) return x;
    return x < 0.0 ? -y : y;
}
