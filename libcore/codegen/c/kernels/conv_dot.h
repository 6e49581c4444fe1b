/* Convolutions and products of matrices for speed, by the sums of dot.h. */
#pragma once

#include <stdint.h>

/* kernel copied */
static inline void copied(void* to, const void* from, int32_t count) {
#if defined(__GNUC__)
    __builtin_memcpy(to, from, (size_t)count);
#else
    memcpy(to, from, (size_t)count);
#endif
}

/* kernel patch_of: X */
/* What the filter at (i, j) is multiplied with, tap by tap, of each its channels; `blank` outside
 * of the image. */
static inline const X* patch_of(const X* x, X* to, X blank, int32_t i, int32_t j, const conv_t* s) {
    const int32_t left = j * s->stride_w - s->pad_w, taps = s->kernel_w * s->in_channels;
    const int32_t joined = s->x_c == 1 && s->x_w == s->in_channels && s->dilation_w == 1 &&
                           left >= 0 && left + s->kernel_w <= s->in_w;
    int32_t h, k, c, at = 0;
    for (h = 0; h < s->kernel_h; ++h) {
        const int32_t row = conv_source(i, h, s->stride_h, s->pad_h, s->dilation_h, s->in_h);
        if (row >= 0 && joined) {
            copied(to + at, x + row * s->x_h + left * s->x_w, taps);
            at += taps;
            continue;
        }
        for (k = 0; k < s->kernel_w; ++k) {
            const int32_t column = conv_source(j, k, s->stride_w, s->pad_w, s->dilation_w, s->in_w);
            const int32_t from = row * s->x_h + column * s->x_w;
            if (row < 0 || column < 0)
                for (c = 0; c < s->in_channels; ++c) to[at++] = blank;
            else if (s->x_c == 1)
                for (c = 0; c < s->in_channels; ++c) to[at++] = x[from + c];
            else
                for (c = 0; c < s->in_channels; ++c) to[at++] = x[from + c * s->x_c];
        }
    }
    return to;
}

/* kernel conv_rows: X W PARAMETERS Y PATCH SEVERAL DOT CODES FINISH */
/* Convolutions and products of matrices, four filters at a time; `patch` is memory for what a
   filter is multiplied with, or 0 where that lies in x as it is. */
static inline void conv_rows(const X* x, const W* w, const int32_t* start, PARAMETERS Y* y,
                             X* patch, X blank, const conv_t* s) {
    const int32_t depth = s->kernel_h * s->kernel_w * s->in_channels, step = (depth + 15) / 16 * 64,
                  blocks = (s->out_channels + 3) / 4;
#if defined(DOT_MANY)
    const int32_t many = s->out_channels / DOT_MANY * (DOT_MANY / 4);
#else
    const int32_t many = 0;
#endif
    int32_t n, i, j, g, m, r;
    for (n = 0; n < s->batch; ++n)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j)
                for (g = 0; g < s->groups; ++g) {
                    Y* to = y + n * s->y_n + i * s->y_h + j * s->y_w;
                    const X* image = x + n * s->x_n + g * s->x_g;
                    const X* from =
                        patch ? PATCH(image, patch, blank, i, j, s)
                              : image + i * s->stride_h * s->x_h + j * s->stride_w * s->x_w;
#if defined(DOT_MANY)
                    for (m = 0; m < many; m += DOT_MANY / 4) {
                        const int32_t block = g * blocks + m, first = g * s->out_channels + 4 * m,
                                      count = DOT_MANY;
                        int32_t sums[16];
                        SEVERAL(from, w + block * step, (depth + 3) / 4 * 4, step,
                                start + 4 * block, sums);
                        r = 0;
                        CODES
                        for (; r < count; ++r) {
                            const int32_t channel = first + r, sum = sums[r];
                            to[channel * s->y_c] = FINISH;
                        }
                    }
#endif
                    for (m = many; m < blocks; ++m) {
                        const int32_t block = g * blocks + m, first = g * s->out_channels + 4 * m;
                        const int32_t count =
                            s->out_channels - 4 * m < 4 ? s->out_channels - 4 * m : 4;
                        int32_t sums[4];
                        DOT(from, w + block * step, (depth + 3) / 4 * 4, start + 4 * block, sums);
                        r = 0;
                        CODES
                        for (; r < count; ++r) {
                            const int32_t channel = first + r, sum = sums[r];
                            to[channel * s->y_c] = FINISH;
                        }
                    }
                }
}

/* kernel few_taps: X W */
/* Of fewer than eight channels, each by itself. */
static inline void few_taps(const X* const* taps, int32_t at, int32_t count, const W* w,
                            const int32_t* start, int32_t* sums, int32_t channels) {
    int32_t c, t;
    for (c = 0; c < channels; ++c) {
        sums[c] = start[c];
        for (t = 0; t < count; ++t)
            sums[c] = (int32_t)((uint32_t)sums[c] + (uint32_t)(taps[t][at + c] * w[8 * t + c]));
    }
}

/* kernel rows_of: X */
/* Where the rows under filters at (i, 0) begin, and the steps in them; `blank` outside of the
   image. */
#if defined(DOT_AVX512)
static inline void rows_of(const X* x, const X* blank, int32_t i, const conv_t* s, const X** rows,
                           int32_t* steps) {
    int32_t h;
    for (h = 0; h < s->kernel_h; ++h) {
        const int32_t row = conv_source(i, h, s->stride_h, s->pad_h, s->dilation_h, s->in_h);
        rows[h] = row < 0 ? blank : x + row * s->x_h;
        steps[h] = row < 0 ? 0 : s->x_w;
    }
}
#endif

/* kernel next_columns: X COLUMN */
/* The columns under filters at (i, j), `moved` places from those that are there. */
#if defined(DOT_AVX512)
static inline void next_columns(const X* const* rows, const int32_t* steps, __m512i outside,
                                int32_t j, int32_t moved, const conv_t* s, __m512i* columns) {
    const int32_t high = (s->kernel_h + 3) / 4, count = s->kernel_w * high;
    int32_t c;
    for (c = 0; c < count; ++c) {
        const int32_t h = c % high * 4,
                      column = j * s->stride_w - s->pad_w + c / high * s->dilation_w;
        columns[c] = c + moved < count ? columns[c + moved]
                     : column < 0 || column >= s->in_w
                         ? outside
                         : COLUMN(rows + h, steps + h, s->kernel_h - h, column);
    }
}
#endif

/* kernel taps_of: X */
/* Where the pixels under the filter at (i, j) begin; `blank` outside of the image. */
static inline void taps_of(const X* x, const X* blank, int32_t i, int32_t j, const conv_t* s,
                           const X** taps) {
    int32_t h, k, t = 0;
    for (h = 0; h < s->kernel_h; ++h)
        for (k = 0; k < s->kernel_w; ++k) {
            const int32_t row = conv_source(i, h, s->stride_h, s->pad_h, s->dilation_h, s->in_h);
            const int32_t column = conv_source(j, k, s->stride_w, s->pad_w, s->dilation_w, s->in_w);
            taps[t++] = row < 0 || column < 0 ? blank : x + row * s->x_h + column * s->x_w;
        }
}

/* kernel conv_taps: X W PARAMETERS Y BITS FLIP FROM ROWS NEXT FOLD TAPS COUNT SUMS CODES FINISH */
/* Convolutions of each channel alone, eight channels at a time; channels lie behind each other, and
   `blank` is a pixel of them that stands outside of the image. */
static inline void conv_taps(const X* x, const W* w, const int32_t* start, PARAMETERS Y* y,
                             const X* blank, const conv_t* s) {
    const X* taps[TAPS];
    int32_t n, i, j, first, r, begin = 0;
#if defined(DOT_AVX512) && BITS == 8
    /* Sixteen channels from `first`, columns of them that move from pixel to pixel. */
    const __m512i outside = _mm512_set1_epi8((char)(uint8_t)(blank ? blank[0] ^ FLIP : 0));
    const int32_t high = (s->kernel_h + 3) / 4, quads = high * s->kernel_w,
                  moved = s->dilation_w == 1 ? s->stride_w * high : quads;
    for (first = 0; first + 16 <= s->groups; first += 16) {
        __m512i filters[TAPS], columns[TAPS];
        const X* rows[TAPS];
        int32_t c, steps[TAPS], folded[16], sums[16];
        FOLD(w + first * TAPS, start + first, TAPS, s, filters, folded);
        for (n = 0; n < s->batch; ++n)
            for (i = 0; i < s->out_h; ++i) {
                ROWS(x + n * s->x_n + first, blank, i, s, rows, steps);
                NEXT(rows, steps, outside, -1, quads, s, columns);
                for (j = 0; j < s->out_w; ++j) {
                    const int32_t count = 16;
                    Y* to = y + n * s->y_n + i * s->y_h + j * s->y_w;
                    __m512i all = _mm512_loadu_si512(folded);
                    NEXT(rows, steps, outside, j, moved, s, columns);
                    for (c = 0; c < quads; ++c)
                        all = _mm512_dpbusd_epi32(all, columns[c], filters[c]);
                    _mm512_storeu_si512(sums, all);
                    r = 0;
                    CODES
                    for (; r < count; ++r) {
                        const int32_t channel = first + r, sum = sums[r];
                        to[channel * s->y_c] = FINISH;
                    }
                }
            }
    }
    begin = first;
    if (begin == s->groups) return;
#endif
    for (n = 0; n < s->batch; ++n)
        for (i = 0; i < s->out_h; ++i)
            for (j = 0; j < s->out_w; ++j) {
                Y* to = y + n * s->y_n + i * s->y_h + j * s->y_w;
                FROM(x + n * s->x_n, blank, i, j, s, taps);
                taps[TAPS - 1] = taps[s->kernel_h * s->kernel_w - 1];
                for (first = begin; first < s->groups; first += 8) {
                    const W* filter = w + first * TAPS;
                    const int32_t count = COUNT;
                    int32_t sums[8];
                    SUMS
                    r = 0;
                    CODES
                    for (; r < count; ++r) {
                        const int32_t channel = first + r, sum = sums[r];
                        to[channel * s->y_c] = FINISH;
                    }
                }
            }
}
