#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/logistic_16.h"
#include "libcore/integer/lstm_codes_t.h"
#include "libcore/integer/rounded_shift.h"
#include "libcore/integer/scaled.h"
#include "libcore/integer/tanh_16.h"

/* Cells and states after a step: of gates i, o, f, c, each s->hidden. */
static void lstm_cell(const int16_t* gates, int16_t* cell, int8_t* state, const lstm_codes_t* s) {
    const int32_t n = s->hidden;
    int32_t k;
    for (k = 0; k < n; ++k) {
        const int32_t kept = (int16_t)rounded_shift(logistic_16(gates[2 * n + k]) * (int32_t)cell[k], 15);
        const int32_t fresh = (int16_t)rounded_shift((int32_t)logistic_16(gates[k]) * tanh_16(gates[3 * n + k], 3), 30 + s->power);
        int32_t next = clip((int64_t)kept + fresh, INT16_MIN, INT16_MAX);
        if (s->cell_clip > 0) next = clip(next, -s->cell_clip, s->cell_clip);
        cell[k] = (int16_t)next;
        state[k] = (int8_t)clip(
            (int64_t)scaled((int32_t)logistic_16(gates[n + k]) * tanh_16(cell[k], 15 + s->power), s->out_factor, s->out_shift) +
                s->out_zero,
            INT8_MIN, INT8_MAX);
    }
}
