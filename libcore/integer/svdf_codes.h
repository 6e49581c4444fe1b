#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/scaled.h"
#include "libcore/integer/svdf_t.h"

/* The oldest number of each filter's memory leaves and its sum over the input comes; a unit is the sum of `rank` filters' memories,
   weighted over time, and its bias. */
static void svdf_codes(const int8_t* x, const int8_t* filters, const int16_t* times, const int32_t* bias, int16_t* state, int8_t* y,
                       const svdf_t* t) {
    int32_t b, f, i;
    uint32_t total = 0;
    for (b = 0; b < t->batch; ++b, x += t->input)
        for (f = 0; f < t->filters; ++f, state += t->memory) {
            const int8_t* filter = filters + f * t->input;
            const int16_t* weights = times + f * t->memory;
            uint32_t sum = 0;
            if (f % t->rank == 0) total = (uint32_t)bias[f / t->rank];
            for (i = 0; i < t->input; ++i) sum += (uint32_t)(filter[i] * (x[i] - t->x_zero));
            for (i = 0; i + 1 < t->memory; ++i) state[i] = state[i + 1];
            if (t->memory > 0)
                state[t->memory - 1] = (int16_t)clip(scaled((int32_t)sum, t->feature_factor, t->feature_shift), INT16_MIN, INT16_MAX);
            for (i = 0; i < t->memory; ++i) total += (uint32_t)(state[i] * weights[i]);
            if (f % t->rank == t->rank - 1)
                *y++ = (int8_t)clip((int64_t)scaled((int32_t)total, t->result_factor, t->result_shift) + t->zero, t->low, t->high);
        }
}
