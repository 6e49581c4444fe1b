// C kernels: operators on codes by the profile tflite (libcore/ops/integer/tflite_*.cpp are the reference) and by onnxruntime's integer
// kernels.
#include <array>

#include "libcore/codegen/c/source.h"

namespace quern::cgen {
namespace {

constexpr std::array pieces{
    Piece{"sum_t", R"(
/* Both operands are brought to one finer scale, summed, and brought to the result's. */
typedef struct {
    int32_t bits, a_zero, a_factor, a_shift, b_zero, b_factor, b_shift, sign;
    int32_t factor, shift, zero, low, high;
} sum_t;
)"},
    Piece{"sum_codes", R"(
static int32_t sum_codes(int32_t a, int32_t b, const sum_t *t)
{
    const int32_t p = scaled((int32_t)((uint32_t)(a - t->a_zero) << t->bits), t->a_factor, t->a_shift);
    const int32_t q = scaled((int32_t)((uint32_t)(b - t->b_zero) << t->bits), t->b_factor, t->b_shift);
    const int32_t sum = (int32_t)((uint32_t)p + (t->sign > 0 ? (uint32_t)q : 0u - (uint32_t)q));
    return clip((int64_t)scaled(sum, t->factor, t->shift) + t->zero, t->low, t->high);
}
)",
          "sum_t scaled clip"},
    Piece{"multiply_t", R"(
typedef struct {
    int32_t a_zero, b_zero, factor, shift, zero, low, high;
} multiply_t;
)"},
    Piece{"multiply_codes", R"(
static int32_t multiply_codes(int32_t a, int32_t b, const multiply_t *t)
{
    const int32_t product = (int32_t)(uint32_t)((int64_t)(a - t->a_zero) * (b - t->b_zero));
    return clip((int64_t)scaled(product, t->factor, t->shift) + t->zero, t->low, t->high);
}
)",
          "multiply_t scaled clip"},
    Piece{"rescale_t", R"(
/* A code by one factor, another below zero. */
typedef struct {
    int32_t x_zero, factor, shift, below_factor, below_shift, zero, low, high;
} rescale_t;
)"},
    Piece{"rescale_code", R"(
static int32_t rescale_code(int32_t x, const rescale_t *t)
{
    const int32_t code = (int32_t)((uint32_t)x - (uint32_t)t->x_zero);
    const int32_t steps = code >= 0 ? scaled(code, t->factor, t->shift) : scaled(code, t->below_factor, t->below_shift);
    return clip((int64_t)steps + t->zero, t->low, t->high);
}
)",
          "rescale_t scaled clip"},
    Piece{"on_lines", R"(
/* A function of 16-bit codes as straight lines between numbers at every 128th code. */
static int32_t on_lines(int32_t code, const int16_t *lines)
{
    const int32_t at = (code + 32768) >> 7;
    return lines[at] + (((int16_t)(lines[at + 1] - lines[at]) * (code & 127) + 64) >> 7);
}
)"},
    Piece{"logistic_codes", R"(
/* 1 / (1 + exp(-x)), or tanh(x), of a code scaled to multiples of 1 / 12288, with 15 bits behind the point: straight lines between numbers
   at multiples of 1/24. */
static int32_t @name@(int32_t x, int32_t factor, int32_t shift, int32_t is_tanh, const uint16_t *table)
{
    const int32_t bits = is_tanh ? 8 : 9, half = 1 << bits;
    int32_t scaled_x = (int32_t)((uint32_t)x * (uint32_t)factor), size, at, y;
    scaled_x = (int32_t)(((int64_t)scaled_x + (shift > 0 ? (int64_t)1 << (shift - 1) : 0)) >> shift);
    size = scaled_x < 0 ? -scaled_x : scaled_x;
    at = size >> bits;
    if (at >= 255) y = is_tanh ? 0xffff << 8 : 0x7fff << 10;
    else y = ((int32_t)table[at] << bits) + (size & (half - 1)) * (table[at + 1] - table[at]);
    if (is_tanh) return (scaled_x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1) >> 8;
    return (scaled_x >= 0 ? y + half : (1 << 25) - y + half - 1) >> 10;
}
)"},
    Piece{"softmax_16", R"(
/* Softmax of 16-bit codes: exponentials of differences and the reciprocal of their sum from tables. */
static void @name@(const int16_t *x, int16_t *y, int32_t lines, int32_t length, int32_t factor, int32_t shift, const int16_t *exponential,
                   const int16_t *reciprocal)
{
    int32_t line, i;
    for (line = 0; line < lines; ++line, x += length, y += length) {
        int32_t top = x[0], sum = 0, headroom = 0, inverse;
        for (i = 1; i < length; ++i)
            if (x[i] > top) top = x[i];
        for (i = 0; i < length; ++i) {
            const int32_t below = scaled(x[i] - top, factor, shift);
            y[i] = (int16_t)on_lines(clip((int64_t)below + 32767, INT16_MIN, INT16_MAX), exponential);
            sum += y[i];
        }
        while (headroom < 32 && !((uint32_t)sum << headroom & 0x80000000u)) ++headroom;
        inverse = on_lines(clip((((int64_t)sum * ((int64_t)1 << (headroom - 1)) + (1 << 13)) >> 14) - (1 << 15) - (1 << 16), INT16_MIN,
                                INT16_MAX), reciprocal);
        for (i = 0; i < length; ++i)
            y[i] = (int16_t)clip(((int64_t)y[i] * inverse + ((int64_t)1 << (30 - headroom))) >> (31 - headroom), 0, INT16_MAX);
    }
}
)",
          "scaled clip on_lines"},
    Piece{"average_codes", R"(
/* The mean of the codes in each window, ties away from zero. */
static void @name@(const @X@ *x, @X@ *y, const conv_t *s, int32_t low, int32_t high)
{
    int32_t n, c, i, j, h, v;
    for (n = 0; n < s->batch; ++n)
        for (c = 0; c < s->out_channels; ++c)
            for (i = 0; i < s->out_h; ++i)
                for (j = 0; j < s->out_w; ++j) {
                    int64_t sum = 0, count = 0;
                    for (h = 0; h < s->kernel_h; ++h)
                        for (v = 0; v < s->kernel_w; ++v) {
                            const int32_t row = conv_source(i, h, s->stride_h, s->pad_h, 1, s->in_h);
                            const int32_t column = conv_source(j, v, s->stride_w, s->pad_w, 1, s->in_w);
                            if (row < 0 || column < 0) continue;
                            sum += x[n * s->x_n + c * s->x_c + row * s->x_h + column * s->x_w];
                            ++count;
                        }
                    if (count > 0) sum = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
                    y[n * s->y_n + c * s->y_c + i * s->y_h + j * s->y_w] = (@X@)clip(sum, low, high);
                }
}
)",
          "conv_t conv_source clip"},
    Piece{"exp_of_negative", R"(
/* exp(a) of -1/4 <= a < 0: its Taylor series around -1/8. Fractions of 2^31. */
static int32_t exp_near_zero(int32_t a)
{
    const int32_t middle = 1895147668, third = 715827883;
    const int32_t x = (int32_t)((uint32_t)a + (1u << 28));
    const int32_t x2 = high_product(x, x), x3 = high_product(x2, x), x4 = high_product(x2, x2);
    const int32_t cubic = high_product((int32_t)((uint32_t)rounded_shift(x4, 2) + (uint32_t)x3), third);
    const int32_t tail = rounded_shift((int32_t)((uint32_t)cubic + (uint32_t)x2), 1);
    return (int32_t)((uint32_t)middle + (uint32_t)high_product(middle, (int32_t)((uint32_t)x + (uint32_t)tail)));
}

/* exp(x) of x <= 0 with 26 fractional bits, as a fraction of 2^31. */
static int32_t exp_of_negative(int32_t x)
{
    static const int32_t powers[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    const int32_t quarter = 1 << 24;
    const int32_t part = (x & (quarter - 1)) - quarter;
    const int32_t rest = (int32_t)((uint32_t)part - (uint32_t)x);
    int32_t result, i;
    if (x == 0) return INT32_MAX;
    result = exp_near_zero(saturated_shift(part, 5));
    for (i = 0; i < 7; ++i)
        if (rest & (1 << (24 + i))) result = high_product(result, powers[i]);
    return result;
}
)",
          "high_product rounded_shift saturated_shift"},
    Piece{"reciprocal_of_one_plus", R"(
/* 1 / (1 + x) of 0 <= x < 1, fractions of 2^31: three steps of Newton's method. */
static int32_t reciprocal_of_one_plus(int32_t x)
{
    const int64_t sum = (int64_t)x + INT32_MAX;
    const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int32_t y = (int32_t)((uint32_t)1515870810 + (uint32_t)high_product(half, -1010580540));
    int32_t round;
    for (round = 0; round < 3; ++round) {
        const int32_t error = (int32_t)((1u << 29) - (uint32_t)high_product(half, y));
        y = (int32_t)((uint32_t)y + (uint32_t)saturated_shift(high_product(y, error), 2));
    }
    return saturated_shift(y, 1);
}
)",
          "high_product saturated_shift"},
    Piece{"softmax_codes", R"(
/* Softmax of each line, results from the least code on; differences below -reach count as nothing. */
static void @name@(const @X@ *x, @Y@ *y, int32_t lines, int32_t length, int32_t factor, int32_t shift, int64_t reach)
{
    const int32_t least = @least@, most = @most@;
    int32_t line, i;
    for (line = 0; line < lines; ++line, x += length, y += length) {
        int32_t top = x[0], sum = 0, headroom = 0, reciprocal;
        for (i = 1; i < length; ++i)
            if (x[i] > top) top = x[i];
        for (i = 0; i < length; ++i)
            if (x[i] - top >= -reach)
                sum = (int32_t)((uint32_t)sum + (uint32_t)rounded_shift(
                    exp_of_negative(high_product((int32_t)((uint32_t)(x[i] - top) << shift), factor)), 12));
        while (headroom < 32 && !((uint32_t)sum << headroom & 0x80000000u)) ++headroom;
        reciprocal = reciprocal_of_one_plus((int32_t)(((uint32_t)sum << headroom) - 0x80000000u));
        for (i = 0; i < length; ++i) {
            int64_t code = least;
            if (x[i] - top >= -reach)
                code += rounded_shift(high_product(reciprocal,
                    exp_of_negative(high_product((int32_t)((uint32_t)(x[i] - top) << shift), factor))), @shift@ - headroom);
            y[i] = (@Y@)clip(code, least, most);
        }
    }
}
)",
          "exp_of_negative reciprocal_of_one_plus clip"},
    Piece{"mean_codes", R"(
/* Sums of codes over the elements of `over` from each of `from`, by one factor. */
static void @name@(const @X@ *x, @X@ *y, const walk_t *from, const walk_t *over, const rescale_t *t)
{
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i, count = 1;
    for (i = 0; i < over->rank; ++i) count *= over->dims[i];
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            const int32_t start = p + i * from->a[from->rank - 1];
            int32_t inner[8] = {0}, g = 0, j;
            int64_t sum = 0;
            do {
                for (j = 0; j < over->dims[over->rank - 1]; ++j) sum += x[start + g + j * over->a[over->rank - 1]];
            } while (next_line(over, inner, &g, &q, &r));
            sum -= (int64_t)t->x_zero * count;
            *y++ = (@X@)clip((int64_t)scaled((int32_t)(uint32_t)(uint64_t)sum, t->factor, t->shift) + t->zero, t->low, t->high);
        }
    } while (next_line(from, at, &p, &q, &r));
}
)",
          "next_line rescale_t scaled clip"},
    Piece{"qlinear_softmax", R"(
/* onnxruntime's: exponentials from a table of whole numbers, one rounded division an element. */
static void @name@(const @X@ *x, @X@ *y, int32_t outer, int32_t length, int32_t step, const uint32_t *table, uint32_t steps, int32_t zero)
{
    int32_t o, i, k;
    for (o = 0; o < outer; ++o, x += length * step, y += length * step)
        for (i = 0; i < step; ++i) {
            int32_t most = x[i];
            uint64_t sum = 0;
            for (k = 0; k < length; ++k)
                if (x[i + k * step] > most) most = x[i + k * step];
            for (k = 0; k < length; ++k) sum += table[x[i + k * step] - most + 255];
            for (k = 0; k < length; ++k) {
                uint64_t code = sum ? ((uint64_t)table[x[i + k * step] - most + 255] * steps + sum / 2) / sum : 0;
                if (code > 1u << 20) code = 1u << 20;
                y[i + k * step] = (@X@)clip((int64_t)code + zero, @least@, @most@);
            }
        }
}
)",
          "clip"},
    Piece{"qlinear_average", R"(
/* The mean of each window in float32; with `whole` padding counts. */
static void @name@(const @X@ *x, @X@ *y, const conv_t *s, int32_t pad_bottom, int32_t pad_right, int32_t whole, float x_scale,
                   int32_t x_zero, float y_scale, int32_t y_zero)
{
    int32_t n, c, i, j, h, v;
    for (n = 0; n < s->batch; ++n)
        for (c = 0; c < s->out_channels; ++c)
            for (i = 0; i < s->out_h; ++i)
                for (j = 0; j < s->out_w; ++j) {
                    float sum = 0.0f;
                    int32_t count = 0;
                    for (h = 0; h < s->kernel_h; ++h)
                        for (v = 0; v < s->kernel_w; ++v) {
                            const int32_t row = i * s->stride_h - s->pad_h + h, column = j * s->stride_w - s->pad_w + v;
                            const int32_t inside = row >= 0 && row < s->in_h && column >= 0 && column < s->in_w;
                            count += inside || (whole && row < s->in_h + pad_bottom && column < s->in_w + pad_right);
                            if (inside)
                                sum += x_scale * (float)(x[n * s->x_n + c * s->x_c + row * s->x_h + column * s->x_w] - x_zero);
                        }
                    sum = count ? sum / (float)count : 0.0f;
                    y[n * s->y_n + c * s->y_c + i * s->y_h + j * s->y_w] =
                        (@X@)quantize_one(sum / y_scale, y_zero, @least@, @most@);
                }
}
)",
          "conv_t quantize_one"},
    Piece{"qlinear_global_average", R"(
/* The mean of each channel: the sum of codes by one factor. */
static void @name@(const @X@ *x, @X@ *y, int32_t batch, int32_t channels, int32_t pixels, int32_t x_c, int32_t x_pixel, float factor,
                   int32_t x_zero, int32_t y_zero)
{
    int32_t n, c, i;
    for (n = 0; n < batch; ++n)
        for (c = 0; c < channels; ++c) {
            int32_t sum = 0;
            for (i = 0; i < pixels; ++i) sum += x[n * channels * pixels + c * x_c + i * x_pixel] - x_zero;
            *y++ = (@X@)quantize_one((float)sum * factor, y_zero, @least@, @most@);
        }
}
)",
          "quantize_one"},
    Piece{"fused_multiply_add", R"(
/* a * b + c rounded once, for |a| < 2^9 whole: the product is exact in double, the sum's last bit tells double rounding apart. */
static float @name@(float a, float b, float c)
{
    union { double real; uint64_t bits; } sum;
    const double product = (double)a * (double)b, add = (double)c;
    double rest, part;
    sum.real = product + add;
    part = sum.real - product;
    rest = (product - (sum.real - part)) + (add - part);
    if (rest != 0.0 && !(sum.bits & 1) && sum.real != 0.0) {
        if ((rest > 0.0) == (sum.real > 0.0)) ++sum.bits;
        else --sum.bits;
    }
    return (float)sum.real;
}
)"},
    Piece{"qlinear_add", R"(
static int32_t @name@(int32_t a, int32_t b, float a_ratio, float b_ratio, float fixed, int32_t low, int32_t high)
{
    return quantize_one(fused_multiply_add((float)b, b_ratio, fused_multiply_add((float)a, a_ratio, fixed)), 0, low, high);
}
)",
          "fused_multiply_add quantize_one"},
};

}  // namespace

std::span<const Piece> integer_pieces() { return pieces; }

}  // namespace quern::cgen
