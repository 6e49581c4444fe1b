/* As conv.h; sums begin with START. */
#include "libcore/integer/shapes.h"

/* kernel conv_volume: X W Y SUM PARAMETERS SOURCE FILTER_AT TERM START FINISH */
/* Every output element gathers its channels, and of each its taps. */
static inline void conv_volume(const X* x, const W* w, PARAMETERS Y* y,  // NOLINT
                               const volume_t* s) {
    int32_t n, g, m, c, i, j, l, d, h, k;
    for (n = 0; n < s->batch; ++n)
        for (i = 0; i < s->out[0]; ++i)
            for (j = 0; j < s->out[1]; ++j)
                for (l = 0; l < s->out[2]; ++l)
                    for (g = 0; g < s->groups; ++g)
                        for (m = 0; m < s->out_channels; ++m) {
                            const int32_t channel = g * s->out_channels + m;
                            SUM sum = START;
                            for (c = 0; c < s->in_channels; ++c)
                                for (d = 0; d < s->kernel[0]; ++d) {
                                    const int32_t plane = SOURCE(i, d, s->stride[0], s->pad[0],
                                                                 s->dilation[0], s->in[0]);
                                    if (plane < 0) continue;
                                    for (h = 0; h < s->kernel[1]; ++h) {
                                        const int32_t row = SOURCE(j, h, s->stride[1], s->pad[1],
                                                                   s->dilation[1], s->in[1]);
                                        const X* from = x + n * s->x_n +
                                                        (g * s->in_channels + c) * s->x_c +
                                                        plane * s->x[0] + row * s->x[1];
                                        const W* filter =
                                            w + FILTER_AT + c * s->w_c + d * s->w[0] + h * s->w[1];
                                        if (row < 0) continue;
                                        for (k = 0; k < s->kernel[2]; ++k) {
                                            const int32_t column =
                                                SOURCE(l, k, s->stride[2], s->pad[2],
                                                       s->dilation[2], s->in[2]);
                                            if (column >= 0) {
                                                const X u = from[column * s->x[2]];
                                                const W v = filter[k * s->w[2]];
                                                sum += TERM;
                                            }
                                        }
                                    }
                                }
                            y[n * s->y_n + channel * s->y_c + i * s->y[0] + j * s->y[1] +
                              l * s->y[2]] = FINISH;
                        }
}
