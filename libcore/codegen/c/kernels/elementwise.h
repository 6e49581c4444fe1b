/* Elements one by one, with broadcasting, and movement of elements. */
#pragma once

#include <stdint.h>

/* kernel unary: A Y PARAMETERS VALUE */
static inline void unary(const A* x, Y* y, int32_t count PARAMETERS) {
    int32_t i;
    for (i = 0; i < count; ++i) {
        const A u = x[i];
        y[i] = VALUE;
    }
}

/* kernel binary: A B Y PARAMETERS VALUE */
static inline void binary(const A* a, const B* b, Y* y, const walk_t* s PARAMETERS) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i;
    const int32_t last = s->rank - 1;
    do {
        for (i = 0; i < s->dims[last]; ++i) {
            const A u = a[p + i * s->a[last]];
            const B v = b[q + i * s->b[last]];
            *y++ = VALUE;
        }
    } while (next_line(s, at, &p, &q, &r));
}

/* kernel ternary: A B VALUE */
static inline void ternary(const A* a, const B* b, const B* c, B* y, const walk_t* s) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i;
    const int32_t last = s->rank - 1;
    do {
        for (i = 0; i < s->dims[last]; ++i) {
            const A u = a[p + i * s->a[last]];
            const B v = b[q + i * s->b[last]], w = c[r + i * s->c[last]];
            *y++ = VALUE;
        }
    } while (next_line(s, at, &p, &q, &r));
}

/* kernel look_up: A Y LEAST */
/* Codes looked up in a table that begins with that of the least code. */
static inline void look_up(const A* x, Y* y, int32_t count, const Y* table) {
    int32_t i;
    for (i = 0; i < count; ++i) y[i] = table[x[i] - (LEAST)];
}

/* kernel dequantize: A */
static inline void dequantize(const A* x, float* y, int32_t count, float scale, int32_t zero) {
    int32_t i;
    for (i = 0; i < count; ++i) y[i] = (float)(x[i] - zero) * scale;
}

/* kernel quantize: Y */
static inline void quantize(const float* x, Y* y, int32_t count, float scale, int32_t zero,
                            int32_t low, int32_t high) {
    int32_t i;
    for (i = 0; i < count; ++i) y[i] = (Y)quantize_one(x[i] / scale, zero, low, high);
}

/* kernel quantize_dynamic: Y */
/* Codes whose scale and zero point come from the numbers; the range includes 0. Limits low = -high
 * are symmetric. */
static inline void quantize_dynamic(const float* x, Y* y, int32_t count, int32_t low, int32_t high,
                                    float* scale, int32_t* zero) {
    float least = 0.0f, most = 0.0f;
    int32_t i;
    for (i = 0; i < count; ++i) {
        if (x[i] < least) least = x[i];
        if (x[i] > most) most = x[i];
    }
    if (low == -high || (low < 0 && least == most)) {
        if (-least > most) most = -least;
        *scale = most == 0.0f ? 1.0f : most / (float)high;
        *zero = 0;
    } else {
        float steps;
        *scale = least == most ? 1.0f : (most - least) / ((float)high - (float)low);
        steps = (float)low - least / *scale;
        steps = round_even(steps < (float)low    ? (float)low
                           : steps > (float)high ? (float)high
                                                 : steps);
        *zero = steps == steps ? (int32_t)steps : low;
    }
    for (i = 0; i < count; ++i) y[i] = (Y)quantize_one(x[i] / *scale, *zero, low, high);
}

/* kernel copy: A */
/* Elements from steps a of x to steps b of y. */
static inline void copy(const A* x, A* y, const walk_t* s) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i;
    const int32_t last = s->rank - 1;
    do {
        for (i = 0; i < s->dims[last]; ++i) y[q + i * s->b[last]] = x[p + i * s->a[last]];
    } while (next_line(s, at, &p, &q, &r));
}

/* kernel pick: A I */
/* y[i] = x[where[i]] */
static inline void pick(const A* x, A* y, int32_t count, const I* where) {
    int32_t i;
    for (i = 0; i < count; ++i) y[i] = x[where[i]];
}

/* kernel pick_or_zero: A I */
/* y[i] = x[where[i]], of a place below 0 nothing */
static inline void pick_or_zero(const A* x, A* y, int32_t count, const I* where) {
    int32_t i;
    for (i = 0; i < count; ++i) y[i] = where[i] < 0 ? 0 : x[where[i]];
}

/* kernel fill: A */
static inline void fill(A* y, int32_t count, A value) {
    int32_t i;
    for (i = 0; i < count; ++i) y[i] = value;
}

/* kernel gather: A I */
/* Slices of x along an axis of `length` slices, each of `inner` elements; indices below 0 count
 * from the end. */
static inline void gather(const A* x, const I* indices, A* y, int32_t outer, int32_t length,
                          int32_t inner, int32_t count) {
    int32_t o, i, k;
    for (o = 0; o < outer; ++o)
        for (i = 0; i < count; ++i) {
            const A* from;
            int64_t index = (int64_t)indices[i];
            if (index < 0) index += length;
            if (index < 0 || index >= length) index = 0;
            from = x + (o * length + (int32_t)index) * inner;
            for (k = 0; k < inner; ++k) *y++ = from[k];
        }
}
