// C kernels: pairs of codes and codes along axes, in fixed point.
#include <array>

#include "libcore/codegen/c/source.h"

namespace quern::cgen {
namespace {

constexpr std::array pieces{
    Piece{"compare_t", R"(
typedef struct {
    int32_t a_zero, a_factor, a_shift, b_zero, b_factor, b_shift;
} compare_t;
)"},
    Piece{"leading_zeros", R"(
static int32_t leading_zeros(uint32_t x)
{
    int32_t count = 0;
    while (count < 32 && !(x & 0x80000000u >> count)) ++count;
    return count;
}
)"},
    Piece{"shifted_far", R"(
/* By 2^exponent; beyond 31 bits as the reference does on 64-bit processors. */
static int32_t shifted_far(int32_t x, int32_t exponent)
{
    const int32_t mask = (int32_t)(uint32_t)(((uint64_t)1 << (exponent % 64)) - 1);
    return (x >> (exponent % 32)) + ((x & mask) > (mask >> 1) + (x < 0));
}
)"},
    Piece{"divide_codes", R"(
/* The dividend with all its bits used, by the reciprocal of the divisor; a division by zero saturates. */
static int32_t divide_codes(int32_t a, int32_t b, const multiply_t *t)
{
    int32_t x = a - t->a_zero, z = b - t->b_zero, headroom, inverse, spare, steps, shift;
    if (z == 0) return clip((int64_t)(x == 0 ? 0 : x > 0 ? INT32_MAX : INT32_MIN) + t->zero, t->low, t->high);
    if (z < 0) {
        x = -x;
        z = -z;
    }
    headroom = leading_zeros((uint32_t)z);
    inverse = reciprocal_of_one_plus((int32_t)(((uint32_t)z << headroom) - 0x80000000u));
    spare = leading_zeros((uint32_t)(x < 0 ? -2 * x - 1 : x)) - (x < 0 ? 0 : 1);
    steps = high_product(high_product((int32_t)((uint32_t)x << spare), inverse), t->factor);
    shift = t->shift - (31 - headroom) - spare;
    if (shift > 0)
        steps = saturated_shift(steps, shift < 31 ? shift : 31);
    else
        steps = shifted_far(steps, -shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}
)",
          "multiply_t leading_zeros reciprocal_of_one_plus high_product saturated_shift shifted_far clip"},
    Piece{"square_difference", R"(
static int32_t square_difference(int32_t a, int32_t b, const sum_t *t)
{
    const int32_t p = scaled((int32_t)((uint32_t)(a - t->a_zero) << t->bits), t->a_factor, t->a_shift);
    const int32_t q = scaled((int32_t)((uint32_t)(b - t->b_zero) << t->bits), t->b_factor, t->b_shift);
    const uint32_t difference = (uint32_t)p - (uint32_t)q;
    return clip((int64_t)scaled((int32_t)(difference * difference), t->factor, t->shift) + t->zero, t->low, t->high);
}
)",
          "sum_t scaled clip"},
    Piece{"sum_of_powers", R"(
/* Codes whose scales are powers of two, shifted to that of the result. */
static int32_t sum_of_powers(int32_t a, int32_t b, const sum_t *t)
{
    const int32_t p = rounded_shift(a - t->a_zero, t->a_shift), q = rounded_shift(b - t->b_zero, t->b_shift);
    const int32_t sum = clip((int64_t)p + (int64_t)t->sign * q, INT16_MIN, INT16_MAX);
    return clip((int64_t)sum + t->zero, t->low, t->high);
}
)",
          "sum_t rounded_shift clip"},
    Piece{"slope_code", R"(
/* A code by one factor, below zero times a slope. */
typedef struct {
    int32_t a_zero, b_zero, factor, shift, below_factor, below_shift, zero, low, high;
} slope_t;

static int32_t slope_code(int32_t a, int32_t b, const slope_t *t)
{
    const int32_t code = a - t->a_zero;
    const int32_t product = (int32_t)((uint32_t)code * (uint32_t)(b - t->b_zero));
    const int32_t steps = code >= 0 ? scaled(code, t->factor, t->shift) : scaled(product, t->below_factor, t->below_shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}
)",
          "scaled clip"},
    Piece{"size_code", R"(
static int32_t size_code(int32_t x, const rescale_t *t)
{
    const int32_t code = x - t->x_zero;
    return clip((int64_t)scaled(code < 0 ? -code : code, t->factor, t->shift) + t->zero, t->low, t->high);
}
)",
          "rescale_t scaled clip"},
    Piece{"root_code", R"(
/* Cut off; 0 where there is no root. */
static int64_t root_code(int32_t code, float x_scale, float y_scale)
{
    const float steps = code < 0 ? 0.0f : (float)square_root((double)(x_scale * (float)code)) / y_scale;
    return (int64_t)(steps < 1e9f ? steps : 1e9f);
}
)",
          "square_root clip"},
    Piece{"product_codes", R"(
/* Products of codes over the elements of `over` from each of `from`, scaled one by one. */
static void @name@(const @X@ *x, @X@ *y, const walk_t *from, const walk_t *over, int32_t x_zero, int32_t factor, int32_t shift,
                   int32_t zero, int32_t low, int32_t high)
{
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i;
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            int32_t inner[8] = {0}, g = p + i * from->a[from->rank - 1], j, first = 1;
            int64_t product = 0;
            do {
                for (j = 0; j < over->dims[over->rank - 1]; ++j, first = 0) {
                    const int32_t code = x[g + j * over->a[over->rank - 1]] - x_zero;
                    product = first ? code : scaled_wide(product * code, factor, shift);
                }
            } while (next_line(over, inner, &g, &q, &r));
            *y++ = (@X@)clip((int64_t)scaled_wide(product, factor, shift) + zero, low, high);
        }
    } while (next_line(from, at, &p, &q, &r));
}
)",
          "next_line scaled_wide clip"},
    Piece{"inverse_root", R"(
/* 1 / sqrt(x) as a factor and a shift, of x > 0; 1 for 0: five steps of Newton's method. */
static int32_t inverse_root(int32_t x, int32_t *shift)
{
    int32_t right = 11, pairs, input, half, y = 1 << 28, round, root;
    *shift = 0;
    if (x <= 1) return INT32_MAX;
    for (; x >= 1 << 29; ++right) x /= 4;
    pairs = (leading_zeros((uint32_t)x) - 1) / 2 - 1;
    input = (x << (2 * pairs)) >> 1;
    half = rounded_shift(input, 1);
    right -= pairs;
    for (round = 0; round < 5; ++round) {
        const int32_t cube = saturated_shift(high_product(high_product(y, y), y), 6);
        const uint32_t less = (uint32_t)high_product((1 << 28) + (1 << 27), y) - (uint32_t)high_product(half, cube);
        y = saturated_shift((int32_t)less, 3);
    }
    root = high_product(y, 1518500250);
    if (right < 0) return (int32_t)((uint32_t)root << -right);
    *shift = -right;
    return root;
}
)",
          "leading_zeros rounded_shift saturated_shift high_product"},
    Piece{"l2_codes", R"(
/* Each row over its length. */
static void @name@(const @X@ *x, @X@ *y, int32_t rows, int32_t depth, int32_t x_zero, int32_t unit, int32_t more, int32_t zero,
                   int32_t low, int32_t high)
{
    int32_t r, i;
    for (r = 0; r < rows; ++r, x += depth, y += depth) {
        int32_t shift, factor;
        uint32_t squares = 0;
        for (i = 0; i < depth; ++i) squares += (uint32_t)((x[i] - x_zero) * (x[i] - x_zero));
        factor = inverse_root((int32_t)squares, &shift);
        for (i = 0; i < depth; ++i)
            y[i] = (@X@)clip((int64_t)scaled((x[i] - x_zero) * unit, factor, shift + more) + zero, low, high);
    }
}
)",
          "inverse_root scaled clip"},
    Piece{"resize_codes", R"(
/* Mixes four neighbours of each position; parts of a whole. */
static void @name@(const @X@ *x, @X@ *y, int32_t batch, int32_t in_h, int32_t in_w, int32_t out_h, int32_t out_w, int32_t channels,
                   const int32_t *rows, const @P@ *row_parts, const int32_t *columns, const @P@ *column_parts)
{
    int32_t n, i, j, c;
    for (n = 0; n < batch; ++n, x += in_h * in_w * channels)
        for (i = 0; i < out_h; ++i)
            for (j = 0; j < out_w; ++j) {
                const @X@ *above = x + rows[2 * i] * in_w * channels, *below = x + rows[2 * i + 1] * in_w * channels;
                const int32_t left = columns[2 * j] * channels, right = columns[2 * j + 1] * channels;
                const @R@ h = row_parts[i], w = column_parts[j];
                for (c = 0; c < channels; ++c) {
                    const @R@ sum = (@R@)above[left + c] * (@whole@ - h) * (@whole@ - w) + (@R@)below[left + c] * h * (@whole@ - w) +
                                    (@R@)above[right + c] * (@whole@ - h) * w + (@R@)below[right + c] * h * w;
                    *y++ = (@X@)(@rounded@);
                }
            }
}
)"},
};

}  // namespace

std::span<const Piece> code_pieces() { return pieces; }

}  // namespace quern::cgen
