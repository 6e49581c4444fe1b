/* Included once for each set of types: X, W, Y and SUM are types, PARAMETERS more of them with
   names and a comma behind each, SOURCE conv_source or conv_transpose_source, FILTER_AT where the
   filter of `channel` begins, TERM the product of u and v, FINISH what becomes of `sum`. */
#include "libcore/integer/shapes.h"

/* kernel conv: X W Y SUM PARAMETERS SOURCE FILTER_AT TERM FINISH */
/* Every output element gathers its taps, and of each its channels. */
static inline void conv(const X* x, const W* w, PARAMETERS Y* y,  // NOLINT
                        const conv_t* s) {
    int32_t n, g, m, i, j, h, k, c;
    for (n = 0; n < s->batch; ++n)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j)
                for (g = 0; g < s->groups; ++g)
                    for (m = 0; m < s->out_channels; ++m) {
                        const int32_t channel = g * s->out_channels + m;
                        SUM sum = 0;
                        for (h = 0; h < s->kernel_h; ++h) {
                            const int32_t row =
                                SOURCE(i, h, s->stride_h, s->pad_h, s->dilation_h, s->in_h);
                            if (row < 0) continue;
                            for (k = 0; k < s->kernel_w; ++k) {
                                const int32_t column =
                                    SOURCE(j, k, s->stride_w, s->pad_w, s->dilation_w, s->in_w);
                                const X* from =
                                    x + n * s->x_n + g * s->x_g + row * s->x_h + column * s->x_w;
                                const W* filter = w + FILTER_AT + h * s->w_h + k * s->w_w;
                                SUM part = 0;
                                if (column < 0) continue;
                                for (c = 0; c < s->in_channels; ++c) {
                                    const X u = from[c * s->x_c];
                                    const W v = filter[c * s->w_c];
                                    part += TERM;
                                }
                                sum += part;
                            }
                        }
                        y[n * s->y_n + i * s->y_h + j * s->y_w + channel * s->y_c] = FINISH;
                    }
}
