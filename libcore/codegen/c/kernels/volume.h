/* Convolutions and pools over three spatial dims. */
#pragma once

#include <stdint.h>

/* kernel max_pool_volume */
static inline void max_pool_volume(const float* x, float* y, const volume_t* s) {
    int32_t n, c, i, j, k, d, h, v;
    for (n = 0; n < s->batch; ++n)
        for (c = 0; c < s->out_channels; ++c)
            for (i = 0; i < s->out[0]; ++i)
                for (j = 0; j < s->out[1]; ++j)
                    for (k = 0; k < s->out[2]; ++k) {
                        float most = -1.0f / 0.0f;
                        for (d = 0; d < s->kernel[0]; ++d)
                            for (h = 0; h < s->kernel[1]; ++h)
                                for (v = 0; v < s->kernel[2]; ++v) {
                                    const int32_t plane = conv_source(i, d, s->stride[0], s->pad[0],
                                                                      s->dilation[0], s->in[0]);
                                    const int32_t row = conv_source(j, h, s->stride[1], s->pad[1],
                                                                    s->dilation[1], s->in[1]);
                                    const int32_t column = conv_source(
                                        k, v, s->stride[2], s->pad[2], s->dilation[2], s->in[2]);
                                    if (plane >= 0 && row >= 0 && column >= 0) {
                                        const float item =
                                            x[n * s->x_n + c * s->x_c + plane * s->x[0] +
                                              row * s->x[1] + column * s->x[2]];
                                        if (item > most || item != item) most = item;
                                    }
                                }
                        y[n * s->y_n + c * s->y_c + i * s->y[0] + j * s->y[1] + k * s->y[2]] = most;
                    }
}

/* kernel average_pool_volume */
/* The mean of each window; with `whole` padding counts. */
static inline void average_pool_volume(const float* x, float* y, const volume_t* s, int32_t whole) {
    int32_t n, c, i, j, k, d, h, v;
    for (n = 0; n < s->batch; ++n)
        for (c = 0; c < s->out_channels; ++c)
            for (i = 0; i < s->out[0]; ++i)
                for (j = 0; j < s->out[1]; ++j)
                    for (k = 0; k < s->out[2]; ++k) {
                        float sum = 0.0f;
                        int32_t count = 0;
                        for (d = 0; d < s->kernel[0]; ++d)
                            for (h = 0; h < s->kernel[1]; ++h)
                                for (v = 0; v < s->kernel[2]; ++v) {
                                    const int32_t plane =
                                        i * s->stride[0] - s->pad[0] + d * s->dilation[0];
                                    const int32_t row =
                                        j * s->stride[1] - s->pad[1] + h * s->dilation[1];
                                    const int32_t column =
                                        k * s->stride[2] - s->pad[2] + v * s->dilation[2];
                                    const int32_t inside = plane >= 0 && plane < s->in[0] &&
                                                           row >= 0 && row < s->in[1] &&
                                                           column >= 0 && column < s->in[2];
                                    count += inside || (whole && plane < s->in[0] + s->after[0] &&
                                                        row < s->in[1] + s->after[1] &&
                                                        column < s->in[2] + s->after[2]);
                                    if (inside)
                                        sum += x[n * s->x_n + c * s->x_c + plane * s->x[0] +
                                                 row * s->x[1] + column * s->x[2]];
                                }
                        y[n * s->y_n + c * s->y_c + i * s->y[0] + j * s->y[1] + k * s->y[2]] =
                            sum / (float)count;
                    }
}
