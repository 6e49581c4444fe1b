#pragma once

#include "libcore/integer/gate_sum.h"
#include "libcore/integer/lstm_cell.h"
#include "libcore/integer/lstm_codes_t.h"

/* LSTM with int8 operands and cells of 16 bits. Gates i, o, f, c; factors and shifts of the input's rows first, then of the state's. */
static void lstm_codes(const int8_t* x, const int8_t* w, const int8_t* r, const int32_t* bias, const int32_t* factor, const int8_t* shift,
                       int8_t* y, int8_t* h, int16_t* c, int16_t* gates, const lstm_codes_t* s) {
    const int32_t n = s->hidden;
    int32_t t, b, g, k;
    for (t = 0; t < s->steps; ++t)
        for (b = 0; b < s->batch; ++b) {
            const int8_t* from = x + t * s->x_t + b * s->x_b;
            int8_t* state = h + b * n;
            for (g = 0; g < 4 * n; ++g) {
                const int32_t sum = gate_sum(0, from, w + g * s->width, s->width, s->x_zero, bias[g], factor[g], shift[g]);
                gates[g] = (int16_t)gate_sum(sum, state, r + g * n, n, s->h_zero, bias[4 * n + g], factor[4 * n + g], shift[4 * n + g]);
            }
            lstm_cell(gates, c + b * n, state, s);
            for (k = 0; k < n; ++k) y[t * s->y_t + b * s->y_b + k] = state[k];
        }
}
