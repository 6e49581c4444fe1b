/* holes: CODE */
#pragma once

#include "libcore/integer/elements.h"
#include "libcore/integer/resize_t.h"

/* Mixes the two rows and two columns beside each position, of which the second ones have parts of 1; cut off behind a half. */
static void resize_unsigned(const CODE* x, CODE* y, const int32_t* rows, const float* row_parts, const int32_t* columns,
                            const float* column_parts, const resize_t* s) {
    int32_t n, i, j, c;
    for (n = 0; n < s->batch; ++n, x += s->in_h * s->in_w * s->channels)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j) {
                const CODE *above = x + rows[2 * i] * s->in_w * s->channels, *below = x + rows[2 * i + 1] * s->in_w * s->channels;
                const int32_t left = columns[2 * j] * s->channels, right = columns[2 * j + 1] * s->channels;
                const float h = row_parts[i], w = column_parts[j];
                for (c = 0; c < s->channels; ++c) {
                    const float sum = (float)above[left + c] * (1 - h) * (1 - w) + (float)below[left + c] * h * (1 - w) +
                                      (float)above[right + c] * (1 - h) * w + (float)below[right + c] * h * w;
                    *y++ = (CODE)(sum + 0.5f);  // NOLINT(bugprone-incorrect-roundings)
                }
            }
}
