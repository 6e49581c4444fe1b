#pragma once

#include "libcore/integer/clip.h"
#include "libcore/integer/gate_sum.h"
#include "libcore/integer/logistic_16.h"
#include "libcore/integer/lstm_codes_t.h"
#include "libcore/integer/rounded_shift.h"
#include "libcore/integer/scaled.h"
#include "libcore/integer/tanh_16.h"

/* LSTM with int8 operands and cells of 16 bits. Gates i, o, f, c; factors and shifts of the input's rows first, then of the state's. */
static void lstm_codes(const int8_t* x, const int8_t* w, const int8_t* r, const int32_t* bias, const int32_t* factor, const int8_t* shift,
                       int8_t* y, int8_t* h, int16_t* c, int16_t* gates, const lstm_codes_t* s) {
    const int32_t n = s->hidden;
    int32_t t, b, g, k;
    for (t = 0; t < s->steps; ++t)
        for (b = 0; b < s->batch; ++b) {
            const int8_t* from = x + t * s->x_t + b * s->x_b;
            int8_t* state = h + b * n;
            int16_t* cell = c + b * n;
            for (g = 0; g < 4 * n; ++g) {
                const int32_t sum = gate_sum(0, from, w + g * s->width, s->width, s->x_zero, bias[g], factor[g], shift[g]);
                gates[g] = (int16_t)gate_sum(sum, state, r + g * n, n, s->h_zero, bias[4 * n + g], factor[4 * n + g], shift[4 * n + g]);
            }
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
                y[t * s->y_t + b * s->y_b + k] = state[k];
            }
        }
}
