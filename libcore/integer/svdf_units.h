#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/scaled.h"
#include "libcore/integer/svdf_filter.h"
#include "libcore/integer/svdf_t.h"

/* Units of all rows: each the sum of `rank` filters' memories, weighted over time, and its bias. `fresh`: what each filter remembers
   next. */
static void svdf_units(const int16_t* fresh, const int16_t* times, const int32_t* bias, int16_t* state, int8_t* y, const svdf_t* t) {
    int32_t b, f, k, unit;
    for (b = 0; b < t->batch; ++b)
        for (f = 0, unit = 0; f < t->filters; ++unit) {
            uint32_t total = (uint32_t)bias[unit];
            for (k = 0; k < t->rank; ++k, ++f, ++fresh, state += t->memory)
                total += svdf_filter(state, *fresh, times + f * t->memory, t->memory);
            *y++ = (int8_t)clip((int64_t)scaled((int32_t)total, t->result_factor, t->result_shift) + t->zero, t->low, t->high);
        }
}
