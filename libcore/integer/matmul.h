/* As conv.h; BLOCK products are summed up at a time. */
#include "libcore/integer/shapes.h"

/* kernel matmul: X W Y SUM PARAMETERS TERM FINISH BLOCK */
static inline void matmul(const X* x, const W* w, PARAMETERS Y* y, const matmul_t* s) {
    int32_t b, i, channel, c;
    for (b = 0; b < s->batch; ++b)
        for (i = 0; i < s->rows; ++i)
            for (channel = 0; channel < s->columns; ++channel) {
                const X* from = x + b * s->a_batch + i * s->a_row;
                const W* filter = w + b * s->w_batch + channel * s->w_column;
                SUM sum = 0;
                for (c = 0; c < s->depth;) {
                    const int32_t end = c + BLOCK < s->depth ? c + BLOCK : s->depth;
                    SUM part = 0;
                    for (; c < end; ++c) {
                        const X u = from[c * s->a_column];
                        const W v = filter[c * s->w_row];
                        part += TERM;
                    }
                    sum += part;
                }
                y[(b * s->rows + i) * s->columns + channel] = FINISH;
            }
}
