/* Images of codes at other sizes. */
#pragma once

#include <stdint.h>

#include "libcore/integer/elements.h"

/* kernel resize_t */
typedef struct {
    int32_t batch, in_h, in_w, out_h, out_w, channels;
} resize_t;

/* kernel resize_codes: CODE */
/* Mixes the two rows and two columns beside each position, of which the second ones have parts in
 * 1024ths; ties away from zero. */
static inline void resize_codes(const CODE* x, CODE* y, const int32_t* rows,
                                const int32_t* row_parts, const int32_t* columns,
                                const int32_t* column_parts, const resize_t* s) {
    int32_t n, i, j, c;
    for (n = 0; n < s->batch; ++n, x += s->in_h * s->in_w * s->channels)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j) {
                const CODE *above = x + rows[2 * i] * s->in_w * s->channels,
                           *below = x + rows[2 * i + 1] * s->in_w * s->channels;
                const int32_t left = columns[2 * j] * s->channels,
                              right = columns[2 * j + 1] * s->channels;
                const int64_t h = row_parts[i], w = column_parts[j];
                for (c = 0; c < s->channels; ++c) {
                    const int64_t sum = above[left + c] * (1024 - h) * (1024 - w) +
                                        below[left + c] * h * (1024 - w) +
                                        above[right + c] * (1024 - h) * w +
                                        below[right + c] * h * w;
                    *y++ = (CODE)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
                }
            }
}

/* kernel resize_unsigned: CODE */
/* Mixes the two rows and two columns beside each position, of which the second ones have parts of
 * 1; cut off behind a half. */
static inline void resize_unsigned(const CODE* x, CODE* y, const int32_t* rows,
                                   const float* row_parts, const int32_t* columns,
                                   const float* column_parts, const resize_t* s) {
    int32_t n, i, j, c;
    for (n = 0; n < s->batch; ++n, x += s->in_h * s->in_w * s->channels)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j) {
                const CODE *above = x + rows[2 * i] * s->in_w * s->channels,
                           *below = x + rows[2 * i + 1] * s->in_w * s->channels;
                const int32_t left = columns[2 * j] * s->channels,
                              right = columns[2 * j + 1] * s->channels;
                const float h = row_parts[i], w = column_parts[j];
                for (c = 0; c < s->channels; ++c) {
                    const float sum = (float)above[left + c] * (1 - h) * (1 - w) +
                                      (float)below[left + c] * h * (1 - w) +
                                      (float)above[right + c] * (1 - h) * w +
                                      (float)below[right + c] * h * w;
                    *y++ = (CODE)(sum + 0.5f);  // NOLINT(bugprone-incorrect-roundings)
                }
            }
}

/* kernel resize_unsigned_cut: CODE */
/* Mixes the two rows and two columns beside each position, of which the second ones have parts of
 * 1, cut off, as onert has it. */
static inline void resize_unsigned_cut(const CODE* x, CODE* y, const int32_t* rows,
                                       const float* row_parts, const int32_t* columns,
                                       const float* column_parts, const resize_t* s) {
    int32_t n, i, j, c;
    for (n = 0; n < s->batch; ++n, x += s->in_h * s->in_w * s->channels)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j) {
                const CODE *above = x + rows[2 * i] * s->in_w * s->channels,
                           *below = x + rows[2 * i + 1] * s->in_w * s->channels;
                const int32_t left = columns[2 * j] * s->channels,
                              right = columns[2 * j + 1] * s->channels;
                const float h = row_parts[i], w = column_parts[j];
                for (c = 0; c < s->channels; ++c) {
                    const float sum = (float)above[left + c] * ((1 - h) * (1 - w)) +
                                      (float)above[right + c] * ((1 - h) * w) +
                                      (float)below[left + c] * (h * (1 - w)) +
                                      (float)below[right + c] * (h * w);
                    *y++ = (CODE)(sum);
                }
            }
}
