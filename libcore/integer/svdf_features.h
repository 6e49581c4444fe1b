#pragma once

#include "libcore/integer/gate_sum.h"
#include "libcore/integer/svdf_t.h"

/* What each filter makes of each row of the input. */
static void svdf_features(const int8_t* x, const int8_t* filters, int16_t* fresh, const svdf_t* t) {
    int32_t b, f;
    for (b = 0; b < t->batch; ++b, x += t->input)
        for (f = 0; f < t->filters; ++f)
            *fresh++ = (int16_t)gate_sum(0, x, filters + f * t->input, t->input, t->x_zero, 0, t->feature_factor, t->feature_shift);
}
