#pragma once

#include "libcore/integer/walk_t.h"

/* The next line of a walk: 0 at the end. */
static int32_t next_line(const walk_t* s, int32_t at[8], int32_t* a, int32_t* b, int32_t* c) {
    int32_t d;
    for (d = s->rank - 2; d >= 0; --d) {
        *a += s->a[d];
        *b += s->b[d];
        *c += s->c[d];
        if (++at[d] < s->dims[d]) return 1;
        *a -= s->a[d] * s->dims[d];
        *b -= s->b[d] * s->dims[d];
        *c -= s->c[d] * s->dims[d];
        at[d] = 0;
    }
    return 0;
}
