/* holes: CODE */
#pragma once

#include "libcore/integer/elements.h"

/* To each sum a row of weights times codes, by the scale of the codes and of the row. */
static void add_coded_rows(const CODE* codes, float own, const int8_t* w, const float* scale, float* sums, int32_t rows, int32_t count) {
    int32_t row, i;
    for (row = 0; row < rows; ++row, w += count) {
        int32_t sum = 0;
        for (i = 0; i < count; ++i) sum += w[i] * (int32_t)codes[i];
        sums[row] += (float)sum * (own * scale[row]);
    }
}
