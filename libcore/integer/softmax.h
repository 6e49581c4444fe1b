/* Softmax of lines of codes. */
#pragma once

#include <stdint.h>

#include "libcore/integer/elements.h"
#include "libcore/integer/functions.h"
#include "libcore/integer/rounding.h"

/* kernel softmax_t */
/* Differences below -reach count as nothing; results have `bits` bits behind the point of the sum's
 * reciprocal. */
typedef struct {
    int32_t factor, shift, reach, bits, low, high;
} softmax_t;

/* kernel softmax_codes: CODE RESULT */
/* Softmax of each line, results from the least code on. */
static inline void softmax_codes(const CODE* x, RESULT* y, int32_t lines, int32_t length,
                                 const softmax_t* t) {
    int32_t line, i;
    for (line = 0; line < lines; ++line, x += length, y += length) {
        int32_t top = (int32_t)x[0], sum = 0, headroom, reciprocal;
        for (i = 1; i < length; ++i)
            if (x[i] > top) top = (int32_t)x[i];
        for (i = 0; i < length; ++i) {
            const int32_t below = (int32_t)x[i] - top;
            if (below < -t->reach) continue;
            sum = (int32_t)((uint32_t)sum +
                            (uint32_t)rounded_shift(
                                exp_of_negative(high_product((int32_t)((uint32_t)below << t->shift),
                                                             t->factor)),
                                12));
        }
        headroom = leading_zeros((uint32_t)sum);
        reciprocal = reciprocal_of_one_plus((int32_t)(((uint32_t)sum << headroom) - 0x80000000u));
        for (i = 0; i < length; ++i) {
            const int32_t below = (int32_t)x[i] - top;
            int64_t code = t->low;
            if (below >= -t->reach)
                code += rounded_shift(
                    high_product(reciprocal,
                                 exp_of_negative(high_product(
                                     (int32_t)((uint32_t)below << t->shift), t->factor))),
                    t->bits - headroom);
            y[i] = (RESULT)clip(code, t->low, t->high);
        }
    }
}

/* kernel softmax_16 */
/* Softmax of 16-bit codes: exponentials of differences, and the reciprocal of their sum, from
   tables. */
static inline void softmax_16(const int16_t* x, int16_t* y, int32_t lines, int32_t length,
                              int32_t factor, int32_t shift, const int16_t* exponential,
                              const int16_t* reciprocal) {
    int32_t line, i;
    for (line = 0; line < lines; ++line, x += length, y += length) {
        int32_t top = x[0], sum = 0, headroom, inverse;
        for (i = 1; i < length; ++i)
            if (x[i] > top) top = x[i];
        for (i = 0; i < length; ++i) {
            const int32_t below = scaled(x[i] - top, factor, shift);
            y[i] =
                (int16_t)on_lines(clip((int64_t)below + 32767, INT16_MIN, INT16_MAX), exponential);
            sum += y[i];
        }
        headroom = leading_zeros((uint32_t)sum);
        inverse =
            on_lines(clip((((int64_t)sum * ((int64_t)1 << (headroom - 1)) + (1 << 13)) >> 14) -
                              (1 << 15) - (1 << 16),
                          INT16_MIN, INT16_MAX),
                     reciprocal);
        for (i = 0; i < length; ++i)
            y[i] = (int16_t)clip(
                ((int64_t)y[i] * inverse + ((int64_t)1 << (30 - headroom))) >> (31 - headroom), 0,
                INT16_MAX);
    }
}

/* kernel qlinear_softmax: CODE */
/* onnxruntime's: exponentials from a table of whole numbers, one rounded division an element. */
static inline void qlinear_softmax(const CODE* x, CODE* y, int32_t outer, int32_t length,
                                   int32_t step, const uint32_t* table, uint32_t steps,
                                   int32_t zero, int32_t low, int32_t high) {
    int32_t o, i, k;
    for (o = 0; o < outer; ++o, x += length * step, y += length * step)
        for (i = 0; i < step; ++i) {
            CODE most = x[i];
            uint64_t sum = 0;
            for (k = 0; k < length; ++k)
                if (x[i + k * step] > most) most = x[i + k * step];
            for (k = 0; k < length; ++k) sum += table[x[i + k * step] - most + 255];
            for (k = 0; k < length; ++k) {
                uint64_t code =
                    sum ? ((uint64_t)table[x[i + k * step] - most + 255] * steps + sum / 2) / sum
                        : 0;
                if (code > 1u << 20) code = 1u << 20;
                y[i + k * step] = (CODE)clip((int64_t)code + zero, low, high);
            }
        }
}
