// Elementwise functions in float32 that compilers vectorize: no branches, no calls. Each is within 1e-6 of the real function, relative,
// and is the same sequence of additions and multiplications on every instruction set, so results do not depend on it. The polynomials
// are least-squares fits at Chebyshev nodes in double precision.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace quern::simd {

#define QUERN_INLINE [[gnu::always_inline]] static inline

QUERN_INLINE float select(bool condition, float yes, float no) { return condition ? yes : no; }

// 2^n for integer n in [-126, 127].
QUERN_INLINE float power_of_two(int32_t n) { return std::bit_cast<float>((n + 127) << 23); }

// exp(x): x = n ln 2 + r, ln 2 in two parts.
QUERN_INLINE float exp(float x) {
    const float bounded = select(x < -104.0f, -104.0f, select(x > 89.0f, 89.0f, x));
    constexpr float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer, which is then in the low bits
    const float shifted = bounded * 1.44269504f + magic;
    const int32_t n = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(magic);
    const float whole = shifted - magic;
    const float r = (bounded - whole * 0.693359375f) + whole * 2.12194440e-4f;
    float p = 0.00139338314f;
    p = p * r + 0.00836330093f;
    p = p * r + 0.041666463f;
    p = p * r + 0.166665763f;
    p = p * r + 0.5f;
    const float y = (p * r * r + r) + 1.0f;
    const int32_t half = n >> 1;  // 2^n in two factors: reaches infinity and the denormal numbers
    return y * power_of_two(half) * power_of_two(n - half);
}

QUERN_INLINE float sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }

QUERN_INLINE float tanh(float x) {
    const float size = std::fabs(x), s = x * x;
    float p = -0.00566477515f;
    p = p * s + 0.0205956791f;
    p = p * s - 0.0537226796f;
    p = p * s + 0.133311495f;
    p = p * s - 0.333332628f;
    const float small = x + x * s * p;
    const float large = std::copysign(1.0f - 2.0f / (exp(2.0f * size) + 1.0f), x);
    return select(size < 0.625f, small, select(x != x, x, large));
}

// erf(x): odd polynomial up to 1, then 1 - exp(log erfc) up to 4, where it is 1 in float32.
QUERN_INLINE float erf(float x) {
    const float size = std::fabs(x), s = x * x;
    float p = -9.67359028e-06f;
    p = p * s + 0.000112682537f;
    p = p * s - 0.000848439639f;
    p = p * s + 0.00522105349f;
    p = p * s - 0.0268654376f;
    p = p * s + 0.112837829f;
    p = p * s - 0.376126379f;
    p = p * s + 1.12837923f;
    const float u = select(size > 4.0f, 4.0f, size) - 2.5f;
    float q = -6.58285657e-08f;
    q = q * u + 1.6140616e-06f;
    q = q * u - 1.29761329e-05f;
    q = q * u + 7.73944266e-05f;
    q = q * u - 0.000420706929f;
    q = q * u + 0.00216516037f;
    q = q * u - 0.0108581651f;
    q = q * u - 0.943893611f;
    q = q * u - 5.35268068f;
    q = q * u - 7.80681515f;
    return select(size < 1.0f, x * p, select(x != x, x, std::copysign(1.0f - exp(q), x)));
}

}  // namespace quern::simd
