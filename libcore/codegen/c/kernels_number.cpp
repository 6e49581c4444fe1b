// C kernels: single numbers - rounding, clipping, and the fixed-point arithmetic of the profile tflite (libcore/ops/integer/fixed_point.h
// is the reference). Functions of real numbers are the texts in libcore/ops/portable.
#include <array>

#include "libcore/codegen/c/source.h"

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
};

}  // namespace

std::span<const Piece> number_pieces() { return pieces; }

}  // namespace quern::cgen
