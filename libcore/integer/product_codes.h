/* holes: CODE */
#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/elements.h"
#include "libcore/integer/next_line.h"
#include "libcore/integer/rescale_t.h"
#include "libcore/integer/scaled_wide.h"

/* Products of codes over the elements of `over` from each of `from`, scaled one by one. */
static void product_codes(const CODE* x, CODE* y, const walk_t* from, const walk_t* over, const rescale_t* t) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i;
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            int32_t inner[8] = {0}, g = p + i * from->a[from->rank - 1], j, first = 1;
            int64_t product = 0;
            do {
                for (j = 0; j < over->dims[over->rank - 1]; ++j, first = 0) {
                    const int32_t code = x[g + j * over->a[over->rank - 1]] - t->x_zero;
                    product = first ? code : scaled_wide(product * code, t->factor, t->shift);
                }
            } while (next_line(over, inner, &g, &q, &r));
            *y++ = (CODE)clip((int64_t)scaled_wide(product, t->factor, t->shift) + t->zero, t->low, t->high);
        }
    } while (next_line(from, at, &p, &q, &r));
}
