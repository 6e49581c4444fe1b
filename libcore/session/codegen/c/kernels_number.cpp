// C kernels: single numbers - rounding, clipping, and the fixed-point arithmetic of the profile tflite (libcore/ops/fixed_point.h is the
// reference), and functions of real numbers (libcore/ops/portable_math.h).
#include <array>

#include "libcore/session/codegen/c/source.h"

namespace quern::cgen {
namespace {

constexpr std::array pieces{
    Piece{"clip", R"(
static int32_t @name@(int64_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : (int32_t)x;
}
)"},
    Piece{"round_even", R"(
/* To the nearest whole number, ties to even. Needs float arithmetic that is neither wider nor re-ordered. */
static float @name@(float x)
{
    volatile float sum;
    if (x >= 8388608.0f || x <= -8388608.0f) return x;
    sum = x < 0.0f ? x - 8388608.0f : x + 8388608.0f;
    return x < 0.0f ? sum + 8388608.0f : sum - 8388608.0f;
}
)"},
    Piece{"quantize_one", R"(
/* The code of a real number that is `steps` steps from zero. */
static int32_t @name@(float steps, int32_t zero, int32_t low, int32_t high)
{
    const float rounded = round_even(steps);
    if (!(rounded > -3.0e9f)) return rounded == rounded ? low : clip(zero, low, high);
    if (rounded > 3.0e9f) return high;
    return clip((int64_t)rounded + zero, low, high);
}
)",
          "round_even clip"},
    Piece{"high_product", R"(
/* High half of 2 * a * b, to nearest, ties up. */
static int32_t @name@(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * b;
    const int64_t nudge = product >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);
    if (a == b && a == INT32_MIN) return INT32_MAX;
    return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}
)"},
    Piece{"rounded_shift", R"(
/* x / 2^n to nearest, ties away from zero. */
static int32_t @name@(int32_t x, int32_t n)
{
    const int64_t mask = ((int64_t)1 << n) - 1;
    const int64_t rest = x & mask, threshold = (mask >> 1) + (x < 0);
    if (n > 31) return (x < 0 ? -1 : 0) + (rest > threshold);
    return (int32_t)((int64_t)x >> n) + (rest > threshold);
}
)"},
    Piece{"saturated_shift", R"(
/* x * 2^n, saturated. */
static int32_t @name@(int32_t x, int32_t n)
{
    return clip((int64_t)x * ((int64_t)1 << n), INT32_MIN, INT32_MAX);
}
)",
          "clip"},
    Piece{"scaled", R"(
/* x * factor / 2^31 * 2^shift, rounded twice. */
static int32_t @name@(int32_t x, int32_t factor, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0, right = shift < 0 ? -shift : 0;
    return rounded_shift(high_product((int32_t)((uint32_t)x << left), factor), right);
}
)",
          "high_product rounded_shift"},
    Piece{"scaled_wide", R"(
/* The same for 64-bit sums: the factor is cut to 16 bits, the product rounded once, ties up. */
static int32_t @name@(int64_t x, int32_t factor, int32_t shift)
{
    const int64_t small = factor < 0x7fff0000 ? (factor + (1 << 15)) >> 16 : 0x7fff;
    const int32_t total = 15 - shift;
    if (total < 1) return (int32_t)(uint32_t)((uint64_t)(x * small) << -total);
    return (int32_t)(uint32_t)(uint64_t)((x * small + ((int64_t)1 << (total - 1))) >> total);
}
)"},
    Piece{"round_away", R"(
/* To the nearest whole number within int32, ties away from zero. */
static int32_t @name@(double x)
{
    int32_t whole;
    if (x >= 2147483647.0) return 2147483647;
    if (x <= -2147483647.0) return -2147483647;
    whole = (int32_t)x;
    if (x - whole >= 0.5) return whole + 1;
    if (x - whole <= -0.5) return whole - 1;
    return whole;
}
)"},
    Piece{"square_root", R"(
/* sqrt(x), correctly rounded, digit by digit. */
static double @name@(double x)
{
    union { double real; uint64_t bits; } n;
    uint64_t m, root = 0, rest = 0;
    int32_t e, i;
    n.real = x;
    if (!(x > 0.0) || n.bits == 0x7ff0000000000000ULL) return x < 0.0 ? (x - x) / (x - x) : x;
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
)"},
    Piece{"wide_exp", R"(
/* exp(x) of |x| < 700: x = n ln 2 + r, the Taylor series of exp(r). */
static double @name@(double x)
{
    union { uint64_t bits; double real; } power;
    const double steps = x * 1.4426950408889634;
    const int32_t n = (int32_t)(steps < 0.0 ? steps - 0.5 : steps + 0.5);
    const double r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10, r2 = r * r, r4 = r2 * r2;
    const double low = (1.0 + r) + (1.0 / 2.0 + r * (1.0 / 6.0)) * r2;
    const double high = (1.0 / 24.0 + r * (1.0 / 120.0)) + (1.0 / 720.0 + r * (1.0 / 5040.0)) * r2;
    const double series = (low + high * r4) + (1.0 / 40320.0 + r * (1.0 / 362880.0)) * (r4 * r4);
    power.bits = (uint64_t)(n + 1023) << 52;
    return series * power.real;
}
)"},
    Piece{"exponential", R"(
/* exp(x), the same on every processor. */
static float @name@(float x)
{
    if (x != x) return x;
    if (x > 89.0f) return 1.0f / 0.0f;
    if (x < -104.0f) return 0.0f;
    return (float)wide_exp((double)x);
}
)",
          "wide_exp"},
    Piece{"hyperbolic_tangent", R"(
/* tanh(x), the same on every processor. */
static float @name@(float x)
{
    const double wide = (double)x;
    double e;
    if (x != x || (x < 1e-3f && x > -1e-3f)) return (float)(wide * (1.0 - wide * wide * (1.0 / 3.0)));
    if (x > 10.0f || x < -10.0f) return x > 0.0f ? 1.0f : -1.0f;
    e = wide_exp(wide + wide);
    return (float)((e - 1.0) / (e + 1.0));
}
)",
          "wide_exp"},
    Piece{"logarithm", R"(
/* log(x), the same on every processor: x = m 2^n, the series of 2 artanh((m - 1) / (m + 1)). */
static float @name@(float x)
{
    union { double real; uint64_t bits; } m;
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
)"},
    Piece{"error_function", R"(
/* erf(x), the same on every processor: the series of erf(x) exp(x^2). */
static float @name@(float x)
{
    const double wide = (double)x, square = wide * wide;
    double term = 1.0, sum = 1.0;
    int32_t n;
    if (x != x) return x;
    if (x > 4.0f || x < -4.0f) return x > 0.0f ? 1.0f : -1.0f;
    for (n = 1; term > sum * 1e-11; ++n) sum += term = term * (square + square) / (double)(2 * n + 1);
    return (float)(1.1283791670955126 * wide * sum * wide_exp(-square));
}
)",
          "wide_exp"},
    Piece{"whole_power", R"(
/* x^y by squaring, the same on every processor. */
static float @name@(float x, int32_t y)
{
    double base = (double)x, product = 1.0;
    int32_t n;
    for (n = y < 0 ? -y : y; n > 0; n >>= 1, base *= base)
        if (n & 1) product *= base;
    return (float)(y < 0 ? 1.0 / product : product);
}
)"},
};

}  // namespace

std::span<const Piece> number_pieces() { return pieces; }

}  // namespace quern::cgen
