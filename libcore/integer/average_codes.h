/* holes: CODE */
#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/conv_source.h"
#include "libcore/integer/conv_t.h"
#include "libcore/integer/elements.h"

/* The mean of the codes in each window, ties away from zero. */
static void average_codes(const CODE* x, CODE* y, const conv_t* s, int32_t low, int32_t high) {  // NOLINT: complexity
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
                    y[n * s->y_n + c * s->y_c + i * s->y_h + j * s->y_w] = (CODE)clip(sum, low, high);
                }
}
