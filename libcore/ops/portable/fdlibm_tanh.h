#pragma once

/* kernel fdlibm_tanh */
/* SPDX-License-Identifier: Apache-2.0 AND SunPro
   fdlibm's notice, of s_expm1f.c and s_tanhf.c, which this is rewritten from:

   ====================================================
   Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.

   Developed at SunPro, a Sun Microsystems, Inc. business.
   Permission to use, copy, modify, and distribute this
   software is freely granted, provided that this notice
   is preserved.
   ==================================================== */

/* exp(x) - 1 of |x| < 60 in float32 with the bits of fdlibm's expm1f, whose algorithm and constants
   these are (Sun Microsystems, 1993): x = k ln 2 + r, a rational function of r. */
static inline float fdlibm_expm1(float x) {
    union {
        uint32_t bits;
        float real;
    } y, power;
    const float size = x < 0.0f ? -x : x;
    float high, low, error = 0.0f, half, square, r, t, e;
    int32_t k = 0;
    if (size < 2.9802322e-8f) return x;
    if (x < -18.714973f) return -1.0f;
    if (size > 0.34657359f) {
        k = size < 1.0397207f ? (x < 0.0f ? -1 : 1)
                              : (int32_t)(1.4426950216e+00f * x + (x < 0.0f ? -0.5f : 0.5f));
        high = x - (float)k * 6.9313812256e-01f;
        low = (float)k * 9.0580006145e-06f;
        x = high - low;
        error = (high - x) - low;
    }
    half = 0.5f * x;
    square = x * half;
    r = -7.9365076090e-05f + square * (4.0082177293e-06f + square * -2.0109921195e-07f);
    r = 1.0f + square * (-3.3333335072e-02f + square * (1.5873016091e-03f + square * r));
    t = 3.0f - r * half;
    e = square * ((r - t) / (6.0f - x * t));
    if (k == 0) return x - (x * e - square);
    e = x * (e - error) - error;
    e -= square;
    if (k == -1) return 0.5f * (x - e) - 0.5f;
    if (k == 1) return x < -0.25f ? -2.0f * (e - (x + 0.5f)) : 1.0f + 2.0f * (x - e);
    power.bits = (uint32_t)(127 - k) << 23; /* 2^-k */
    if (k <= -2 || k > 56)
        y.real = 1.0f - (e - x);
    else if (k < 23)
        y.real = (1.0f - power.real) - (e - x);
    else
        y.real = (x - (e + power.real)) + 1.0f;
    y.bits += (uint32_t)k << 23;
    return k <= -2 || k > 56 ? y.real - 1.0f : y.real;
}

/* tanh(x) with the bits that fdlibm's s_tanhf.c gives. */
static inline float fdlibm_tanh(float x) {
    const float size = x < 0.0f ? -x : x;
    float y;
    if (x != x || size < 2.7755576e-17f) return x;
    if (size >= 22.0f)
        y = 1.0f;
    else if (size >= 1.0f)
        y = 1.0f - 2.0f / (fdlibm_expm1(2.0f * size) + 2.0f);
    else {
        const float t = fdlibm_expm1(-2.0f * size);
        y = -t / (t + 2.0f);
    }
    return x < 0.0f ? -y : y;
}
