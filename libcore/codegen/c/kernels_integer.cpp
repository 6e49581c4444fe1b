// C kernels: operators on codes by onnxruntime's integer kernels.
#include <array>

#include "libcore/codegen/c/source.h"

namespace quern::cgen {
namespace {

constexpr std::array pieces{
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
