/* holes: CODE */
#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/elements.h"
#include "libcore/integer/next_line.h"
#include "libcore/integer/rescale_t.h"
#include "libcore/integer/scaled.h"

/* Sums of codes over the elements of `over` from each of `from`, by one factor. */
static void mean_codes(const CODE* x, CODE* y, const walk_t* from, const walk_t* over, const rescale_t* t) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i, count = 1;
    for (i = 0; i < over->rank; ++i) count *= over->dims[i];
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            const int32_t start = p + i * from->a[from->rank - 1];
            int32_t inner[8] = {0}, g = 0, j;
            int64_t sum = 0;
            do {
                for (j = 0; j < over->dims[over->rank - 1]; ++j) sum += x[start + g + j * over->a[over->rank - 1]];
            } while (next_line(over, inner, &g, &q, &r));
            sum -= (int64_t)t->x_zero * count;
            *y++ = (CODE)clip((int64_t)scaled((int32_t)(uint32_t)(uint64_t)sum, t->factor, t->shift) + t->zero, t->low, t->high);
        }
    } while (next_line(from, at, &p, &q, &r));
}
