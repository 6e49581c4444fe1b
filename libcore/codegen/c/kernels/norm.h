/* Normalizations by norms, by neighbouring channels and over free axes. */
#pragma once

#include <stdint.h>

/* kernel lp_normalization: A EACH NORM */
/* Each line over its norm. */
static inline void lp_normalization(const A* x, A* y, int32_t outer, int32_t length, int32_t step) {
    int32_t o, i, k;
    for (o = 0; o < outer; ++o, x += length * step, y += length * step)
        for (i = 0; i < step; ++i) {
            A sum = 0, norm;
            for (k = 0; k < length; ++k) {
                const A u = x[i + k * step];
                sum += EACH;
            }
            norm = NORM;
            for (k = 0; k < length; ++k)
                y[i + k * step] = norm == 0 ? norm : x[i + k * step] / norm;
        }
}

/* kernel local_response: powf */
/* Each number over a power of the squares of `before` channels before and `after` ones after it. */
static inline void local_response(const float* x, float* y, int32_t batch, int32_t channels,
                                  int32_t pixels, int32_t x_c, int32_t x_pixel, int32_t before,
                                  int32_t after, double alpha, double beta, double bias) {
    int32_t n, c, i, k;
    for (n = 0; n < batch; ++n, x += channels * pixels, y += channels * pixels)
        for (c = 0; c < channels; ++c) {
            const int32_t first = c < before ? 0 : c - before,
                          last = channels - c <= after ? channels - 1 : c + after;
            for (i = 0; i < pixels; ++i) {
                const int32_t at = c * x_c + i * x_pixel;
                double squares = 0.0;
                for (k = first; k <= last; ++k) {
                    const double item = (double)x[k * x_c + i * x_pixel];
                    squares += item * item;
                }
                y[at] = (float)((double)x[at] / powf(bias + alpha * squares, beta));
            }
        }
}

/* kernel mean_variance: sqrt */
/* What lies at `over` from each of `from` less its mean, over its standard deviation. */
static inline void mean_variance(const float* x, float* y, const walk_t* from, const walk_t* over,
                                 int32_t count) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i, pass;
    const int32_t length = over->dims[over->rank - 1], step = over->a[over->rank - 1];
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            double mean = 0.0, variance = 0.0, deviation = 1.0;
            for (pass = 0; pass < 3; ++pass) {
                int32_t inner[8] = {0}, g = p + i * from->a[from->rank - 1], j;
                do {
                    for (j = 0; j < length; ++j) {
                        const double item = (double)x[g + j * step];
                        if (pass == 0)
                            mean += item / (double)count;
                        else if (pass == 1)
                            variance += (item - mean) * (item - mean) / (double)count;
                        else
                            y[g + j * step] = (float)((item - mean) / deviation);
                    }
                } while (next_line(over, inner, &g, &q, &r));
                if (pass == 1) deviation = sqrt(variance) + 1e-9;
            }
        }
    } while (next_line(from, at, &p, &q, &r));
}
