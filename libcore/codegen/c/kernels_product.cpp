// C kernels: convolutions and matrix products, for codes and real numbers, in any layout.
#include <array>

#include "libcore/codegen/c/source.h"

namespace quern::cgen {
namespace {

constexpr std::array pieces{
    Piece{"conv", R"(
/* Every output element gathers its taps, and of each its channels. */
static void @name@(const @X@ *x, const @W@ *w, @parameters@@Y@ *y, const conv_t *s)
{
    int32_t n, g, m, i, j, h, v, c;
    for (n = 0; n < s->batch; ++n)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j)
                for (g = 0; g < s->groups; ++g)
                    for (m = 0; m < s->out_channels; ++m) {
                        const int32_t channel = g * s->out_channels + m;
                        @A@ sum = 0;
                        for (h = 0; h < s->kernel_h; ++h) {
                            const int32_t row = @source@(i, h, s->stride_h, s->pad_h, s->dilation_h, s->in_h);
                            if (row < 0) continue;
                            for (v = 0; v < s->kernel_w; ++v) {
                                const int32_t column = @source@(j, v, s->stride_w, s->pad_w, s->dilation_w, s->in_w);
                                const @X@ *from = x + n * s->x_n + g * s->in_channels * s->x_c + row * s->x_h + column * s->x_w;
                                const @W@ *filter = w + @filter_at@ + h * s->w_h + v * s->w_w;
                                @A@ part = 0;
                                if (column < 0) continue;
                                for (c = 0; c < s->in_channels; ++c)
                                    part += @term@;
                                sum += part;
                            }
                        }
                        y[n * s->y_n + i * s->y_h + j * s->y_w + channel * s->y_c] = @finish@;
                    }
}
)",
          "conv_t requant_t"},
    Piece{"conv_in_order", R"(
/* The same in the order of the reference: from the bias on, channel by channel, of each its taps. */
static void @name@(const float *x, const float *w, @parameters@float *y, const conv_t *s)
{
    int32_t n, g, m, i, j, h, v, c;
    for (n = 0; n < s->batch; ++n)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j)
                for (g = 0; g < s->groups; ++g)
                    for (m = 0; m < s->out_channels; ++m) {
                        const int32_t channel = g * s->out_channels + m;
                        float sum = @start@;
                        for (c = 0; c < s->in_channels; ++c)
                            for (h = 0; h < s->kernel_h; ++h) {
                                const int32_t row = @source@(i, h, s->stride_h, s->pad_h, s->dilation_h, s->in_h);
                                const float *from = x + n * s->x_n + g * s->in_channels * s->x_c + row * s->x_h;
                                const float *filter = w + @filter_at@ + h * s->w_h;
                                if (row < 0) continue;
                                for (v = 0; v < s->kernel_w; ++v) {
                                    const int32_t column = @source@(j, v, s->stride_w, s->pad_w, s->dilation_w, s->in_w);
                                    if (column >= 0) sum += from[c * s->x_c + column * s->x_w] * filter[c * s->w_c + v * s->w_w];
                                }
                            }
                        y[n * s->y_n + i * s->y_h + j * s->y_w + channel * s->y_c] = sum;
                    }
}
)",
          "conv_t"},
    Piece{"matmul", R"(
static void @name@(const @X@ *x, const @W@ *w, @parameters@@Y@ *y, const matmul_t *s)
{
    int32_t b, i, channel, c;
    for (b = 0; b < s->batch; ++b)
        for (i = 0; i < s->rows; ++i)
            for (channel = 0; channel < s->columns; ++channel) {
                const @X@ *from = x + b * s->a_batch + i * s->a_row;
                const @W@ *filter = w + b * s->w_batch + channel * s->w_column;
                @A@ sum = 0;
                for (c = 0; c < s->depth;) {
                    const int32_t end = c + @block@ < s->depth ? c + @block@ : s->depth;
                    @A@ part = 0;
                    for (; c < end; ++c) part += @term@;
                    sum += part;
                }
                y[(b * s->rows + i) * s->columns + channel] = @finish@;
            }
}
)",
          "matmul_t requant_t"},
    Piece{"symmetric_codes", R"(
/* Rounds a slice of real numbers to codes of -127..127, ties away from zero; returns the scale. */
static float @name@(const float *x, int8_t *codes, int32_t count)
{
    float range = 0.0f, inverse;
    int32_t i;
    for (i = 0; i < count; ++i) {
        const float size = x[i] < 0.0f ? -x[i] : x[i];
        if (size > range) range = size;
    }
    if (range == 0.0f) {
        for (i = 0; i < count; ++i) codes[i] = 0;
        return 1.0f;
    }
    inverse = 127.0f / range;
    for (i = 0; i < count; ++i) {
        const float steps = x[i] * inverse;
        int32_t code = steps == steps ? round_away(steps) : 0;
        codes[i] = (int8_t)(code > 127 ? 127 : code < -127 ? -127 : code);
    }
    return range / 127.0f;
}
)",
          "round_away"},
    Piece{"asymmetric_codes", R"(
/* Rounds a slice of real numbers to codes of -128..127, less their zero point; returns the scale. */
static float @name@(const float *x, int16_t *codes, int32_t count)
{
    float low = 0.0f, high = 0.0f, inverse;
    double real, zero;
    int32_t i, zero_code;
    for (i = 0; i < count; ++i) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
    }
    if (low == high) {
        for (i = 0; i < count; ++i) codes[i] = 0;
        return 1.0f;
    }
    real = ((double)high - (double)low) / 255.0;
    zero = 128.0 - (double)low / real < 127.0 + (double)high / real ? -128.0 - (double)low / real : 127.0 - (double)high / real;
    zero_code = round_away(zero < -128.0 ? -128.0 : zero > 127.0 ? 127.0 : zero);
    inverse = 1.0f / (float)real;
    for (i = 0; i < count; ++i) {
        const float steps = (float)zero_code + x[i] * inverse;
        const int32_t code = steps == steps ? round_away(steps) : 0;
        codes[i] = (int16_t)((code > 127 ? 127 : code < -128 ? -128 : code) - zero_code);
    }
    return (float)real;
}
)",
          "round_away"},
};

}  // namespace

std::span<const Piece> product_pieces() { return pieces; }

}  // namespace quern::cgen
