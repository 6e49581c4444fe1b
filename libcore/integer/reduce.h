/* Means, products and lengths of codes, over axes, lines and windows. */
#pragma once

#include <stdint.h>

#include "libcore/integer/elements.h"
#include "libcore/integer/functions.h"
#include "libcore/integer/requantize.h"
#include "libcore/integer/rounding.h"
#include "libcore/integer/shapes.h"

/* kernel normalize_t */
/* Codes are multiplied by `unit` before they are divided, quotients by 2^more. */
typedef struct {
    int32_t x_zero, unit, more, zero, low, high;
} normalize_t;

/* kernel l2_codes: CODE */
/* Each line over its length. */
static inline void l2_codes(const CODE* x, CODE* y, int32_t lines, int32_t length,
                            const normalize_t* t) {
    int32_t line, i;
    for (line = 0; line < lines; ++line, x += length, y += length) {
        int32_t shift, factor;
        uint32_t squares = 0;
        for (i = 0; i < length; ++i) squares += (uint32_t)((x[i] - t->x_zero) * (x[i] - t->x_zero));
        factor = inverse_root((int32_t)squares, &shift);
        for (i = 0; i < length; ++i) {
            const int32_t code = (int32_t)x[i] - t->x_zero;
            y[i] = (CODE)clip((int64_t)scaled(code * t->unit, factor, shift + t->more) + t->zero,
                              t->low, t->high);
        }
    }
}

/* kernel mean_codes: CODE */
/* Sums of codes over the elements of `over` from each of `from`, by one factor. */
static inline void mean_codes(const CODE* x, CODE* y, const walk_t* from, const walk_t* over,
                              const rescale_t* t) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i, count = 1;
    for (i = 0; i < over->rank; ++i) count *= over->dims[i];
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            const int32_t start = p + i * from->a[from->rank - 1];
            int32_t inner[8] = {0}, g = 0, j;
            int64_t sum = 0;
            do {
                for (j = 0; j < over->dims[over->rank - 1]; ++j)
                    sum += x[start + g + j * over->a[over->rank - 1]];
            } while (next_line(over, inner, &g, &q, &r));
            sum -= (int64_t)t->x_zero * count;
            *y++ = (CODE)clip(
                (int64_t)scaled((int32_t)(uint32_t)(uint64_t)sum, t->factor, t->shift) + t->zero,
                t->low, t->high);
        }
    } while (next_line(from, at, &p, &q, &r));
}

/* kernel product_codes: CODE */
/* Products of codes over the elements of `over` from each of `from`, scaled one by one. */
static inline void product_codes(const CODE* x, CODE* y, const walk_t* from, const walk_t* over,
                                 const rescale_t* t) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i;
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            int32_t inner[8] = {0}, g = p + i * from->a[from->rank - 1], j, first = 1;
            int64_t product = 0;
            do {
                for (j = 0; j < over->dims[over->rank - 1]; ++j) {
                    const int32_t code = x[g + j * over->a[over->rank - 1]] - t->x_zero;
                    product = first ? code : scaled_wide(product * code, t->factor, t->shift);
                    first = 0;
                }
            } while (next_line(over, inner, &g, &q, &r));
            *y++ = (CODE)clip((int64_t)scaled_wide(product, t->factor, t->shift) + t->zero, t->low,
                              t->high);
        }
    } while (next_line(from, at, &p, &q, &r));
}

/* kernel average_codes: CODE */
/* The mean of the codes in each window, ties away from zero. */
static inline void average_codes(const CODE* x, CODE* y, const conv_t* s, int32_t low,  // NOLINT
                                 int32_t high) {
    int32_t n, c, i, j, h, v;
    for (n = 0; n < s->batch; ++n)
        for (c = 0; c < s->out_channels; ++c)
            for (i = 0; i < s->out_h; ++i)
                for (j = 0; j < s->out_w; ++j) {
                    int64_t sum = 0, count = 0;
                    for (h = 0; h < s->kernel_h; ++h)
                        for (v = 0; v < s->kernel_w; ++v) {
                            const int32_t row =
                                conv_source(i, h, s->stride_h, s->pad_h, 1, s->in_h);
                            const int32_t column =
                                conv_source(j, v, s->stride_w, s->pad_w, 1, s->in_w);
                            if (row < 0 || column < 0) continue;
                            sum += x[n * s->x_n + c * s->x_c + row * s->x_h + column * s->x_w];
                            ++count;
                        }
                    if (count > 0) sum = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
                    y[n * s->y_n + c * s->y_c + i * s->y_h + j * s->y_w] =
                        (CODE)clip(sum, low, high);
                }
}
