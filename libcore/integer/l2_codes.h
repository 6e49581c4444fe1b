/* holes: CODE */
#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/elements.h"
#include "libcore/integer/inverse_root.h"
#include "libcore/integer/normalize_t.h"
#include "libcore/integer/scaled.h"

/* Each line over its length. */
static void l2_codes(const CODE* x, CODE* y, int32_t lines, int32_t length, const normalize_t* t) {
    int32_t line, i;
    for (line = 0; line < lines; ++line, x += length, y += length) {
        int32_t shift, factor;
        uint32_t squares = 0;
        for (i = 0; i < length; ++i) squares += (uint32_t)((x[i] - t->x_zero) * (x[i] - t->x_zero));
        factor = inverse_root((int32_t)squares, &shift);
        for (i = 0; i < length; ++i) {
            const int32_t code = (int32_t)x[i] - t->x_zero;
            y[i] = (CODE)clip((int64_t)scaled(code * t->unit, factor, shift + t->more) + t->zero, t->low, t->high);
        }
    }
}
