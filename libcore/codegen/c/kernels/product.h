/* Convolutions of real numbers in the order of the reference. */
#pragma once

#include <stdint.h>

/* kernel conv_in_order: PARAMETERS START SOURCE FILTER_AT */
/* The same in the order of the reference: from the bias on, channel by channel, of each its
   taps. */
static inline void conv_in_order(const float* x, const float* w, PARAMETERS float* y,
                                 const conv_t* s) {
    int32_t n, g, m, i, j, h, v, c;
    for (n = 0; n < s->batch; ++n)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j)
                for (g = 0; g < s->groups; ++g)
                    for (m = 0; m < s->out_channels; ++m) {
                        const int32_t channel = g * s->out_channels + m;
                        float sum = START;
                        for (c = 0; c < s->in_channels; ++c)
                            for (h = 0; h < s->kernel_h; ++h) {
                                const int32_t row =
                                    SOURCE(i, h, s->stride_h, s->pad_h, s->dilation_h, s->in_h);
                                const float* from = x + n * s->x_n + g * s->x_g + row * s->x_h;
                                const float* filter = w + FILTER_AT + h * s->w_h;
                                if (row < 0) continue;
                                for (v = 0; v < s->kernel_w; ++v) {
                                    const int32_t column =
                                        SOURCE(j, v, s->stride_w, s->pad_w, s->dilation_w, s->in_w);
                                    if (column >= 0)
                                        sum += from[c * s->x_c + column * s->x_w] *
                                               filter[c * s->w_c + v * s->w_w];
                                }
                            }
                        y[n * s->y_n + i * s->y_h + j * s->y_w + channel * s->y_c] = sum;
                    }
}

/* kernel matmul_in_blocks: X W PARAMETERS FINISH */
/* Products of matrices of real numbers, 64 products summed up at a time. */
static inline void matmul_in_blocks(const X* x, const W* w, PARAMETERS float* y,
                                    const matmul_t* s) {
    int32_t b, i, channel, c;
    for (b = 0; b < s->batch; ++b)
        for (i = 0; i < s->rows; ++i)
            for (channel = 0; channel < s->columns; ++channel) {
                const X* from = x + b * s->a_batch + i * s->a_row;
                const W* filter = w + b * s->w_batch + channel * s->w_column;
                float sum = 0.0f;
                for (c = 0; c < s->depth;) {
                    const int32_t end = s->depth - c > 64 ? c + 64 : s->depth;
                    float part = 0.0f;
                    for (; c < end; ++c) part += from[c * s->a_column] * filter[c * s->w_row];
                    sum += part;
                }
                y[(b * s->rows + i) * s->columns + channel] = FINISH;
            }
}
