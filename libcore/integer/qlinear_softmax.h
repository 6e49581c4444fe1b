/* holes: CODE */
#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/elements.h"

/* onnxruntime's: exponentials from a table of whole numbers, one rounded division an element. */
static void qlinear_softmax(const CODE* x, CODE* y, int32_t outer, int32_t length, int32_t step, const uint32_t* table, uint32_t steps,
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
                uint64_t code = sum ? ((uint64_t)table[x[i + k * step] - most + 255] * steps + sum / 2) / sum : 0;
                if (code > 1u << 20) code = 1u << 20;
                y[i + k * step] = (CODE)clip((int64_t)code + zero, low, high);
            }
        }
}
