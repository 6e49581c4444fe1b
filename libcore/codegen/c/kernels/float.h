/* Real numbers along windows and axes. Sums are added in the order of the reference rows, in the
 * same types. */
#pragma once

#include <stdint.h>

/* kernel reduce: X JOIN START EACH FINISH */
static inline X join_reduce(X a, X b) { return JOIN; }

/* Over the elements of `over` from each of `from`; rows in eight lanes. */
static inline void reduce(const X* x, X* y, const walk_t* from, const walk_t* over, int32_t rows,
                          int32_t count) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i;
    const int32_t length = over->dims[over->rank - 1], step = over->a[over->rank - 1];
    (void)count;
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            int32_t inner[8] = {0}, g = p + i * from->a[from->rank - 1], j, k;
            X total = START;
            do {
                if (rows) {
                    X lane[8];
                    for (k = 0; k < 8; ++k) lane[k] = START;
                    for (j = 0; j < length; ++j) {
                        const X v = x[g + j * step];
                        k = j < length / 8 * 8 ? j % 8 : 0;
                        lane[k] = join_reduce(lane[k], EACH);
                    }
                    for (k = 0; k < 8; ++k) total = join_reduce(total, lane[k]);
                } else {
                    for (j = 0; j < length; ++j) {
                        const X v = x[g + j * step];
                        total = join_reduce(total, EACH);
                    }
                }
            } while (next_line(over, inner, &g, &q, &r));
            *y++ = FINISH;
        }
    } while (next_line(from, at, &p, &q, &r));
}

/* kernel log_sum_exp: X LEAST MOST expf logf */
/* The logarithm of the sum of the exponentials of what lies at `over` from each of `from`. */
static inline void log_sum_exp(const X* x, X* y, const walk_t* from, const walk_t* over) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i, pass;
    const int32_t length = over->dims[over->rank - 1], step = over->a[over->rank - 1];
    do {
        for (i = 0; i < from->dims[from->rank - 1]; ++i) {
            X most = LEAST, sum = 0;
            for (pass = 0; pass < 2; ++pass) {
                int32_t inner[8] = {0}, g = p + i * from->a[from->rank - 1], j;
                if (pass == 1 && (most == MOST || most == LEAST)) most = 0;
                do {
                    for (j = 0; j < length; ++j) {
                        const X v = x[g + j * step];
                        if (pass == 1)
                            sum += expf(v - most);
                        else if (!(most > v || most != most))
                            most = v;
                    }
                } while (next_line(over, inner, &g, &q, &r));
            }
            *y++ = sum == 0 ? LEAST : logf(sum) + most;
        }
    } while (next_line(from, at, &p, &q, &r));
}

/* kernel max_pool: X LEAST BETTER */
static inline void max_pool(const X* x, X* y, const conv_t* s) {
    int32_t n, c, i, j, h, v;
    for (n = 0; n < s->batch; ++n)
        for (c = 0; c < s->out_channels; ++c)
            for (i = 0; i < s->out_h; ++i)
                for (j = 0; j < s->out_w; ++j) {
                    X most = LEAST;
                    for (h = 0; h < s->kernel_h; ++h)
                        for (v = 0; v < s->kernel_w; ++v) {
                            const int32_t row =
                                conv_source(i, h, s->stride_h, s->pad_h, s->dilation_h, s->in_h);
                            const int32_t column =
                                conv_source(j, v, s->stride_w, s->pad_w, s->dilation_w, s->in_w);
                            if (row < 0 || column < 0) continue;
                            {
                                const X item =
                                    x[n * s->x_n + c * s->x_c + row * s->x_h + column * s->x_w];
                                if (BETTER) most = item;
                            }
                        }
                    y[n * s->y_n + c * s->y_c + i * s->y_h + j * s->y_w] = most;
                }
}

/* kernel average_pool: X PARAMETERS TERM MEAN */
/* The mean of each window; with `whole` padding counts. */
static inline void average_pool(const X* x, X* y, const conv_t* s, int32_t pad_bottom,
                                int32_t pad_right, int32_t whole PARAMETERS) {
    int32_t n, c, i, j, h, v;
    for (n = 0; n < s->batch; ++n)
        for (c = 0; c < s->out_channels; ++c)
            for (i = 0; i < s->out_h; ++i)
                for (j = 0; j < s->out_w; ++j) {
                    float sum = 0.0f;
                    int32_t count = 0;
                    for (h = 0; h < s->kernel_h; ++h)
                        for (v = 0; v < s->kernel_w; ++v) {
                            const int32_t row = i * s->stride_h - s->pad_h + h * s->dilation_h;
                            const int32_t column = j * s->stride_w - s->pad_w + v * s->dilation_w;
                            const int32_t inside =
                                row >= 0 && row < s->in_h && column >= 0 && column < s->in_w;
                            count += inside || (whole && row < s->in_h + pad_bottom &&
                                                column < s->in_w + pad_right);
                            if (inside) {
                                const X u =
                                    x[n * s->x_n + c * s->x_c + row * s->x_h + column * s->x_w];
                                sum += TERM;
                            }
                        }
                    y[n * s->y_n + c * s->y_c + i * s->y_h + j * s->y_w] = MEAN;
                }
}

/* kernel global_average: X PARAMETERS SUM TERM MEAN */
static inline void global_average(const X* x, X* y, int32_t batch, int32_t channels, int32_t pixels,
                                  int32_t x_c, int32_t x_pixel PARAMETERS) {
    int32_t n, c, i;
    for (n = 0; n < batch; ++n)
        for (c = 0; c < channels; ++c) {
            SUM sum = 0;
            for (i = 0; i < pixels; ++i) {
                const X u = x[n * channels * pixels + c * x_c + i * x_pixel];
                sum += TERM;
            }
            *y++ = MEAN;
        }
}

/* kernel softmax: expf */
static inline void softmax(const float* x, float* y, int32_t outer, int32_t length, int32_t step) {
    int32_t o, i, k;
    for (o = 0; o < outer; ++o, x += length * step, y += length * step)
        for (i = 0; i < step; ++i) {
            float most = x[i], sum = 0.0f;
            for (k = 1; k < length; ++k)
                if (most < x[i + k * step]) most = x[i + k * step];
            for (k = 0; k < length; ++k) sum += y[i + k * step] = expf(x[i + k * step] - most);
            for (k = 0; k < length; ++k) y[i + k * step] /= sum;
        }
}

/* kernel log_softmax: expf logf */
static inline void log_softmax(const float* x, float* y, int32_t outer, int32_t length,
                               int32_t step) {
    int32_t o, i, k;
    for (o = 0; o < outer; ++o, x += length * step, y += length * step)
        for (i = 0; i < step; ++i) {
            float most = x[i], sum;
            for (k = 1; k < length; ++k)
                if (most < x[i + k * step]) most = x[i + k * step];
            sum = expf(x[i] - most);
            for (k = 1; k < length; ++k) sum += expf(x[i + k * step] - most);
            sum = logf(sum);
            for (k = 0; k < length; ++k) y[i + k * step] = x[i + k * step] - most - sum;
        }
}

/* kernel layer_norm: sqrt */
/* Groups of `size` numbers less their mean, over their standard deviation; statistics in double. */
static inline void layer_norm(const float* x, const float* scale, const float* bias, float* y,
                              int32_t groups, int32_t size, double epsilon, float* means,
                              float* inverses) {
    int32_t g, i;
    for (g = 0; g < groups; ++g, x += size, y += size) {
        double mean = 0.0, variance = 0.0, inverse;
        for (i = 0; i < size; ++i) mean += (double)x[i];
        mean /= (double)size;
        for (i = 0; i < size; ++i) variance += ((double)x[i] - mean) * ((double)x[i] - mean);
        variance /= (double)size;
        inverse = 1.0 / sqrt(variance + epsilon);
        if (means) means[g] = (float)mean;
        if (inverses) inverses[g] = (float)inverse;
        for (i = 0; i < size; ++i)
            y[i] = (float)(((double)x[i] - mean) * inverse) * scale[i] + (bias ? bias[i] : 0.0f);
    }
}

/* kernel rms_norm: sqrt */
static inline void rms_norm(const float* x, const float* scale, float* y, int32_t groups,
                            int32_t size, double epsilon) {
    int32_t g, i;
    for (g = 0; g < groups; ++g, x += size, y += size) {
        double squares = 0.0, rms;
        for (i = 0; i < size; ++i) squares += (double)x[i] * (double)x[i];
        rms = sqrt(squares / (double)size + epsilon);
        for (i = 0; i < size; ++i) y[i] = (float)((double)x[i] / rms) * scale[i];
    }
}

/* kernel channel_factors: sqrt */
static inline void channel_factors(const float* scale, const float* bias, const float* mean,
                                   const float* variance, float* factor, float* shift,
                                   int32_t channels, double epsilon) {
    int32_t c;
    for (c = 0; c < channels; ++c) {
        const double wide = (double)scale[c] / sqrt((double)variance[c] + epsilon);
        factor[c] = (float)wide;
        shift[c] = (float)((double)bias[c] - (double)mean[c] * wide);
    }
}
