/* As conv.h. */
#include "libcore/integer/shapes.h"

/* kernel matmul: X W Y SUM PARAMETERS TERM FINISH */
static inline void matmul(const X* x, const W* w, PARAMETERS Y* y, const matmul_t* s) {
    int32_t b, i, channel, c;
    for (b = 0; b < s->batch; ++b)
        for (i = 0; i < s->rows; ++i)
            for (channel = 0; channel < s->columns; ++channel) {
                const X* from = x + b * s->a_batch + i * s->a_row;
                const W* filter = w + b * s->w_batch + channel * s->w_column;
                SUM sum = 0;
                for (c = 0; c < s->depth; ++c) {
                    const X u = from[c * s->a_column];
                    const W v = filter[c * s->w_row];
                    sum += TERM;
                }
                y[(b * s->rows + i) * s->columns + channel] = FINISH;
            }
}
