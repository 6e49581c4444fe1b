/* LSTM, GRU, RNN and SVDF in float32. */
#pragma once

#include <stdint.h>

/* kernel recurrent_t */
/* One direction over all steps. x_t and x_b: elements from step to step and from row to row, y_t
 * and y_b likewise. */
typedef struct {
    int32_t steps, batch, width, hidden, reverse, x_t, x_b, y_t, y_b, h_b;
    float bound; /* of what gates take; 0: none */
} recurrent_t;

static inline float bounded(float x, float limit) {
    if (!(limit > 0.0f)) return x;
    return x > limit ? limit : x < -limit ? -limit : x;
}

/* kernel steps_of */
/* The steps of row b. */
static inline int32_t steps_of(const recurrent_t* s, const int32_t* lengths, int32_t b) {
    const int32_t length = lengths ? lengths[b] : s->steps;
    return length < 0 ? 0 : length > s->steps ? s->steps : length;
}

/* kernel dot */
/* The sum of products: 16 partial sums side by side, then those, then the rest. */
static inline float dot(const float* a, const float* b, int32_t count) {
    float lane[16] = {0.0f}, sum = 0.0f;
    int32_t i, k;
    for (i = 0; i + 16 <= count; i += 16)
        for (k = 0; k < 16; ++k) lane[k] += a[i + k] * b[i + k];
    for (k = 0; k < 16; ++k) sum += lane[k];
    for (; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

/* kernel real_gates */
/* The sums of `rows` gates of one step: of x and its biases, then of h and its. */
static inline void real_gates(const float* x, const float* h, const float* w, const float* r,
                              const float* bias, float* gates, int32_t rows, int32_t width,
                              int32_t n) {
    int32_t g;
    for (g = 0; g < rows; ++g) {
        const float sum = (bias ? bias[g] : 0.0f) + dot(x, w + g * width, width);
        gates[g] = (sum + (bias ? bias[rows + g] : 0.0f)) + dot(h, r + g * n, n);
    }
}

/* kernel hybrid_gates: CODE ROUND ADD */
/* The same with x and h rounded to codes on the way in; scales of the rows of w, then of r. */
static inline void hybrid_gates(const float* x, const float* h, const int8_t* w, const int8_t* r,
                                const float* bias, const float* scale, CODE* codes, float* gates,
                                int32_t rows, int32_t width, int32_t n) {
    int32_t g;
    for (g = 0; g < rows; ++g) gates[g] = bias[g];
    ADD(codes, ROUND(x, codes, width), w, scale, gates, rows, width);
    ADD(codes, ROUND(h, codes, n), r, scale + rows, gates, rows, n);
}

/* kernel gate: VALUE */
static inline float gate(float u) { return VALUE; }

/* kernel lstm_step: GATE FORGET CANDIDATE CELL */
/* State and cells of a row after a step: of the sums of its gates i, o, f, c. */
static inline void lstm_step(const float* gates, const float* peephole, float* h, float* c,
                             float bound, float cell_bound, int32_t n) {
    int32_t k;
    for (k = 0; k < n; ++k) {
        const float i = GATE(bounded(gates[k] + (peephole ? peephole[k] * c[k] : 0.0f), bound));
        const float f = FORGET;
        float o;
        c[k] = bounded(f * c[k] + i * CANDIDATE(bounded(gates[3 * n + k], bound)), cell_bound);
        o = GATE(bounded(gates[n + k] + (peephole ? peephole[n + k] * c[k] : 0.0f), bound));
        h[k] = o * CELL(c[k]);
    }
}

/* kernel lstm: W MORE SUMS STEP */
/* Gates i, o, f, c, each row on its own. */
static inline void lstm(const float* x, const W* w, const W* r, const float* bias,
                        const float* peephole, const int32_t* lengths, float* y, float* h, float* c,
                        float* gates, float cell_bound, const recurrent_t* s MORE) {
    const int32_t n = s->hidden, rows = 4 * n;
    int32_t t, b, k;
    for (b = 0; b < s->batch; ++b, h += s->h_b, c += s->h_b) {
        const int32_t steps = steps_of(s, lengths, b);
        for (t = 0; t < steps; ++t) {
            const int32_t at = s->reverse ? steps - 1 - t : t;
            const float* const from = x + at * s->x_t + b * s->x_b;
            SUMS
            STEP(gates, peephole, h, c, s->bound, cell_bound, n);
            for (k = 0; y && k < n; ++k) y[at * s->y_t + b * s->y_b + k] = h[k];
        }
    }
}

/* kernel add_dynamic_rows: W */
/* To each row of sums a row of x times weights [depth, columns] in codes. All of x is rounded to
 * codes by its own range. */
static inline void add_dynamic_rows(const float* x, uint8_t* codes, const W* w, const float* scale,
                                    const int32_t* zero, float* sums, int32_t rows, int32_t depth,
                                    int32_t columns) {
    float own;
    int32_t own_zero, i, j, k;
    quantize_dynamic_u8(x, codes, rows * depth, 0, 255, &own, &own_zero);
    for (i = 0; i < rows; ++i, codes += depth)
        for (j = 0; j < columns; ++j) {
            uint32_t sum = 0;
            for (k = 0; k < depth; ++k)
                sum += (uint32_t)((codes[k] - own_zero) * (w[k * columns + j] - zero[j]));
            *sums++ += (float)(int32_t)sum * (own * scale[j]);
        }
}

/* kernel dynamic_lstm: W R ADDX ADDH STEP */
/* The input is rounded to codes as one tensor, the state of a step as one over the batch. Scales
 * and zero points of the columns of w, then of r. */
static inline void dynamic_lstm(const float* x, const W* w, const R* r, const float* bias,
                                const float* scale, const int32_t* zero, const float* peephole,
                                float* y, float* h, float* c, float* gates, uint8_t* codes,
                                const recurrent_t* s) {
    const int32_t n = s->hidden, rows = 4 * n;
    int32_t t, b, k;
    for (k = 0; k < s->steps * s->batch * rows; ++k) gates[k] = 0.0f;
    ADDX(x, codes, w, scale, zero, gates, s->steps * s->batch, s->width, rows);
    for (t = 0; t < s->steps; ++t) {
        const int32_t at = s->reverse ? s->steps - 1 - t : t;
        float* sums = gates + at * s->batch * rows;
        ADDH(h, codes, r, scale + rows, zero + rows, sums, s->batch, n, rows);
        for (b = 0; b < s->batch; ++b, sums += rows) {
            for (k = 0; k < rows; ++k) sums[k] += bias[k];
            STEP(sums, peephole, h + b * n, c + b * n, s->bound, 0.0f, n);
            for (k = 0; y && k < n; ++k) y[at * s->y_t + b * s->y_b + k] = h[b * n + k];
        }
    }
}

/* kernel gru: GATE CANDIDATE */
/* Gates z, r, h; `own` has room for four times as many numbers as the state. */
static inline void gru(const float* x, const float* w, const float* r, const float* bias,
                       const int32_t* lengths, float* y, float* h, float* gates, float* own,
                       int32_t reset_after, const recurrent_t* s) {
    const int32_t n = s->hidden;
    float* const reset = own + 3 * n;
    int32_t t, b, g, k;
    for (b = 0; b < s->batch; ++b, h += s->h_b) {
        const int32_t steps = steps_of(s, lengths, b);
        for (t = 0; t < steps; ++t) {
            const int32_t at = s->reverse ? steps - 1 - t : t;
            const float* const from = x + at * s->x_t + b * s->x_b;
            for (g = 0; g < 3 * n; ++g) {
                gates[g] = (bias ? bias[g] : 0.0f) + dot(from, w + g * s->width, s->width);
                own[g] = bias ? bias[3 * n + g] : 0.0f;
                if (g < 2 * n || reset_after) own[g] += dot(h, r + g * n, n);
            }
            for (g = 0; g < 2 * n; ++g) gates[g] = GATE(bounded(gates[g] + own[g], s->bound));
            for (k = 0; k < n; ++k) reset[k] = gates[n + k] * (reset_after ? own[2 * n + k] : h[k]);
            if (!reset_after)
                for (k = 0; k < n; ++k) own[2 * n + k] += dot(reset, r + (2 * n + k) * n, n);
            for (k = 0; k < n; ++k) {
                const float made = CANDIDATE(bounded(
                    gates[2 * n + k] + (reset_after ? reset[k] : own[2 * n + k]), s->bound));
                h[k] = (1.0f - gates[k]) * made + gates[k] * h[k];
                if (y) y[at * s->y_t + b * s->y_b + k] = h[k];
            }
        }
    }
}

/* kernel rnn: W MORE SUMS GATE */
static inline void rnn(const float* x, const W* w, const W* r, const float* bias,
                       const int32_t* lengths, float* y, float* h, float* gates,
                       const recurrent_t* s MORE) {
    const int32_t n = s->hidden, rows = n;
    int32_t t, b, k;
    for (b = 0; b < s->batch; ++b, h += s->h_b) {
        const int32_t steps = steps_of(s, lengths, b);
        for (t = 0; t < steps; ++t) {
            const int32_t at = s->reverse ? steps - 1 - t : t;
            const float* const from = x + at * s->x_t + b * s->x_b;
            SUMS
            for (k = 0; k < n; ++k) {
                h[k] = GATE(bounded(gates[k], s->bound));
                if (y) y[at * s->y_t + b * s->y_b + k] = h[k];
            }
        }
    }
}

/* kernel real_features */
/* What each filter makes of each row of the input. */
static inline void real_features(const float* x, const float* w, float* fresh, int32_t batch,
                                 int32_t filters, int32_t width) {
    int32_t b, f;
    for (b = 0; b < batch; ++b, x += width)
        for (f = 0; f < filters; ++f) *fresh++ = dot(x, w + f * width, width);
}

/* kernel hybrid_features: CODE ROUND ADD */
/* The same with x rounded to codes on the way in; scales of the filters. */
static inline void hybrid_features(const float* x, const int8_t* w, const float* scale, CODE* codes,
                                   float* fresh, int32_t batch, int32_t filters, int32_t width) {
    int32_t b, f;
    for (b = 0; b < batch; ++b, x += width, fresh += filters) {
        for (f = 0; f < filters; ++f) fresh[f] = 0.0f;
        ADD(codes, ROUND(x, codes, width), w, scale, fresh, filters, width);
    }
}

/* kernel real_units */
/* Units of all rows: each the sum of `rank` filters' memories, weighted over time, and its bias.
 * `fresh`: what each filter remembers next. */
static inline void real_units(const float* fresh, const float* times, const float* bias,
                              float* state, float* y, int32_t batch, int32_t filters,
                              int32_t memory, int32_t rank) {
    int32_t b, f, k, i;
    for (b = 0; b < batch; ++b)
        for (f = 0; f < filters; ++y) {
            *y = 0.0f;
            for (k = 0; k < rank; ++k, ++f, ++fresh, state += memory) {
                float sum = 0.0f;
                for (i = 0; i + 1 < memory; ++i) state[i] = state[i + 1];
                if (memory > 0) state[memory - 1] = *fresh;
                for (i = 0; i < memory; ++i) sum += state[i] * times[f * memory + i];
                *y += sum;
            }
            if (bias) *y += bias[f / rank - 1];
        }
}
