/* Recurrent layers on codes: gates, LSTM, SVDF. */
#pragma once

#include <stdint.h>

#include "libcore/integer/elements.h"
#include "libcore/integer/functions.h"
#include "libcore/integer/rounding.h"

/* kernel gate_code */
/* A gate and what a sum adds to it. */
static inline int16_t gate_code(int32_t gate, int32_t sum, int32_t factor, int32_t shift) {
    return (int16_t)clip((int64_t)scaled(sum, factor, shift) + gate, INT16_MIN, INT16_MAX);
}

/* kernel gate_sum */
/* What a row of weights adds to a gate. */
static inline int32_t gate_sum(int32_t gate, const int8_t* x, const int8_t* w, int32_t count,
                               int32_t zero, int32_t bias, int32_t factor, int32_t shift) {
    uint32_t sum = (uint32_t)bias;
    int32_t k;
    for (k = 0; k < count; ++k) sum += (uint32_t)(w[k] * (x[k] - zero));
    return gate_code(gate, (int32_t)sum, factor, shift);
}

/* kernel add_coded_rows: CODE */
/* To each sum a row of weights times codes, by the scale of the codes and of the row. */
static inline void add_coded_rows(const CODE* codes, float own, const int8_t* w, const float* scale,
                                  float* sums, int32_t rows, int32_t count) {
    int32_t row, i;
    for (row = 0; row < rows; ++row, w += count) {
        int32_t sum = 0;
        for (i = 0; i < count; ++i) sum += w[i] * (int32_t)codes[i];
        sums[row] += (float)sum * (own * scale[row]);
    }
}

/* kernel lstm_codes_t */
/* x_t and x_b: elements from step to step and from row to row, y_t and y_b likewise. `power`: of
 * the scale of cells, 2^power. */
typedef struct {
    int32_t steps, batch, width, hidden, x_t, x_b, y_t, y_b;
    int32_t x_zero, h_zero, power, out_factor, out_shift, out_zero, cell_clip;
} lstm_codes_t;

/* kernel lstm_cell */
/* Cells and states after a step: of gates i, o, f, c, each s->hidden. */
static inline void lstm_cell(const int16_t* gates, int16_t* cell, int8_t* state,
                             const lstm_codes_t* s) {
    const int32_t n = s->hidden;
    int32_t k;
    for (k = 0; k < n; ++k) {
        const int32_t kept =
            (int16_t)rounded_shift(logistic_16(gates[2 * n + k]) * (int32_t)cell[k], 15);
        const int32_t fresh = (int16_t)rounded_shift(
            (int32_t)logistic_16(gates[k]) * tanh_16(gates[3 * n + k], 3), 30 + s->power);
        int32_t next = clip((int64_t)kept + fresh, INT16_MIN, INT16_MAX);
        if (s->cell_clip > 0) next = clip(next, -s->cell_clip, s->cell_clip);
        cell[k] = (int16_t)next;
        state[k] = (int8_t)clip(
            (int64_t)scaled((int32_t)logistic_16(gates[n + k]) * tanh_16(cell[k], 15 + s->power),
                            s->out_factor, s->out_shift) +
                s->out_zero,
            INT8_MIN, INT8_MAX);
    }
}

/* kernel lstm_codes */
/* LSTM with int8 operands and cells of 16 bits. Gates i, o, f, c; factors and shifts of the input's
 * rows first, then of the state's. */
static inline void lstm_codes(const int8_t* x, const int8_t* w, const int8_t* r,
                              const int32_t* bias, const int32_t* factor, const int8_t* shift,
                              int8_t* y, int8_t* h, int16_t* c, int16_t* gates,
                              const lstm_codes_t* s) {
    const int32_t n = s->hidden;
    int32_t t, b, g, k;
    for (t = 0; t < s->steps; ++t)
        for (b = 0; b < s->batch; ++b) {
            const int8_t* from = x + t * s->x_t + b * s->x_b;
            int8_t* state = h + b * n;
            for (g = 0; g < 4 * n; ++g) {
                const int32_t sum = gate_sum(0, from, w + g * s->width, s->width, s->x_zero,
                                             bias[g], factor[g], shift[g]);
                gates[g] = (int16_t)gate_sum(sum, state, r + g * n, n, s->h_zero, bias[4 * n + g],
                                             factor[4 * n + g], shift[4 * n + g]);
            }
            lstm_cell(gates, c + b * n, state, s);
            for (k = 0; k < n; ++k) y[t * s->y_t + b * s->y_b + k] = state[k];
        }
}

/* kernel svdf_t */
/* `feature` brings sums over the input to the state's scale, `result` those over time to the
 * result's. */
typedef struct {
    int32_t batch, input, filters, memory, rank, x_zero;
    int32_t feature_factor, feature_shift, result_factor, result_shift, zero, low, high;
} svdf_t;

/* kernel svdf_filter */
/* The oldest number of a filter's memory leaves and a fresh one comes; gives the sum of all
 * weighted over time. */
static inline uint32_t svdf_filter(int16_t* state, int16_t fresh, const int16_t* weights,
                                   int32_t memory) {
    uint32_t sum = 0;
    int32_t i;
    for (i = 0; i + 1 < memory; ++i) state[i] = state[i + 1];
    if (memory > 0) state[memory - 1] = fresh;
    for (i = 0; i < memory; ++i) sum += (uint32_t)(state[i] * weights[i]);
    return sum;
}

/* kernel svdf_features */
/* What each filter makes of each row of the input. */
static inline void svdf_features(const int8_t* x, const int8_t* filters, int16_t* fresh,
                                 const svdf_t* t) {
    int32_t b, f;
    for (b = 0; b < t->batch; ++b, x += t->input)
        for (f = 0; f < t->filters; ++f)
            *fresh++ = (int16_t)gate_sum(0, x, filters + f * t->input, t->input, t->x_zero, 0,
                                         t->feature_factor, t->feature_shift);
}

/* kernel svdf_units */
/* Units of all rows: each the sum of `rank` filters' memories, weighted over time, and its bias.
   `fresh`: what each filter remembers next. */
static inline void svdf_units(const int16_t* fresh, const int16_t* times, const int32_t* bias,
                              int16_t* state, int8_t* y, const svdf_t* t) {
    int32_t b, f, k, unit;
    for (b = 0; b < t->batch; ++b)
        for (f = 0, unit = 0; f < t->filters; ++unit) {
            uint32_t total = (uint32_t)bias[unit];
            for (k = 0; k < t->rank; ++k, ++f, ++fresh, state += t->memory)
                total += svdf_filter(state, *fresh, times + f * t->memory, t->memory);
            *y++ = (int8_t)clip(
                (int64_t)scaled((int32_t)total, t->result_factor, t->result_shift) + t->zero,
                t->low, t->high);
        }
}
