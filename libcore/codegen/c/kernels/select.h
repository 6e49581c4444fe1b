/* Along axes and by index - extremes, running sums, scattering, resizing. */
#pragma once

#include <stdint.h>

/* kernel extreme_place: A BETTER */
/* The place of the best of `length` items that lie `step` apart; of equals the first, or the last
   one. */
static inline int32_t extreme_place(const A* x, int32_t length, int32_t step, int32_t last) {
    int32_t best = 0, k;
    for (k = 1; k < length; ++k) {
        const A item = x[k * step], held = x[best * step];
        if (BETTER || (last && item == held)) best = k;
    }
    return best;
}

/* kernel arg: A PLACE */
static inline void arg(const A* x, int64_t* y, int32_t outer, int32_t length, int32_t inner,
                       int32_t last) {
    int32_t o, i;
    for (o = 0; o < outer; ++o, x += length * inner)
        for (i = 0; i < inner; ++i) *y++ = PLACE(x + i, length, inner, last);
}

/* kernel hardmax: PLACE */
static inline void hardmax(const float* x, float* y, int32_t outer, int32_t length, int32_t inner) {
    int32_t o, i, k;
    for (o = 0; o < outer; ++o, x += length * inner, y += length * inner)
        for (i = 0; i < inner; ++i) {
            const int32_t best = PLACE(x + i, length, inner, 0);
            for (k = 0; k < length; ++k) y[i + k * inner] = k == best ? 1.0f : 0.0f;
        }
}

/* kernel top_k: A BEFORE */
/* The k best of each line, best first, of equals the first; put in their order as they are met. */
static inline void top_k(const A* x, A* y, int64_t* places, int32_t outer, int32_t length,
                         int32_t inner, int32_t count) {
    int32_t o, i, k, held, at;
    for (o = 0; o < outer; ++o, x += length * inner, y += count * inner, places += count * inner)
        for (i = 0; i < inner; ++i)
            for (k = 0, held = 0; k < length; ++k) {
                const A u = x[i + k * inner];
                for (at = held; at > 0; --at) {
                    const A v = y[i + (at - 1) * inner];
                    if (!(BEFORE)) break;
                    if (at < count) {
                        y[i + at * inner] = v;
                        places[i + at * inner] = places[i + (at - 1) * inner];
                    }
                }
                if (at == count) continue;
                y[i + at * inner] = u;
                places[i + at * inner] = k;
                if (held < count) ++held;
            }
}

/* kernel one_hot: BELOW I A */
/* values[1] at the place along an axis that an index tells, to which BELOW is added below 0;
 * values[0] elsewhere. */
static inline void one_hot(const I* which, const A* values, A* y, int32_t outer, int32_t depth,
                           int32_t inner) {
    int32_t o, k, i;
    for (o = 0; o < outer; ++o, which += inner)
        for (k = 0; k < depth; ++k)
            for (i = 0; i < inner; ++i) {
                const int64_t index =
                    (int64_t)which[i] < 0 ? (int64_t)which[i] + BELOW : (int64_t)which[i];
                *y++ = values[index == k];
            }
}

/* kernel cumulate: A START VALUE */
/* Running totals along an axis, with each item or without it. */
static inline void cumulate(const A* x, A* y, int32_t outer, int32_t length, int32_t inner,
                            int32_t reverse, int32_t exclusive) {
    int32_t o, i, k;
    for (o = 0; o < outer; ++o, x += length * inner, y += length * inner)
        for (i = 0; i < inner; ++i) {
            A total = START;
            for (k = 0; k < length; ++k) {
                const int32_t at = i + (reverse ? length - 1 - k : k) * inner;
                const A u = total, v = x[at];
                total = (A)(VALUE);
                y[at] = exclusive ? u : total;
            }
        }
}

/* kernel scatter_elements: A I VALUE */
/* Updates at places of which an index tells the one along an axis of `length` items, `step` apart;
 * indices outside are passed over. */
static inline void scatter_elements(A* y, const I* indices, const A* updates, int32_t length,
                                    int32_t step, const walk_t* s) {
    int32_t at[8] = {0}, p = 0, q = 0, r = 0, i;
    const int32_t last = s->rank - 1;
    do {
        for (i = 0; i < s->dims[last]; ++i, ++indices, ++updates) {
            const int64_t index =
                (int64_t)*indices < 0 ? (int64_t)*indices + length : (int64_t)*indices;
            if (index >= 0 && index < length) {
                A* const to = y + p + i * s->a[last] + (int32_t)index * step;
                const A u = *to, v = *updates;
                (void)u;
                *to = (A)(VALUE);
            }
        }
    } while (next_line(s, at, &p, &q, &r));
}

/* kernel scatter_slices: A I VALUE */
/* Slices of `run` updates at tuples of indices; s: the dims that they count and their steps. Tuples
 * outside are passed over. */
static inline void scatter_slices(A* y, const I* indices, const A* updates, int32_t tuples,
                                  int32_t run, const walk_t* s) {
    int32_t t, d, i;
    for (t = 0; t < tuples; ++t, indices += s->rank, updates += run) {
        int32_t place = 0, inside = 1;
        for (d = 0; d < s->rank; ++d) {
            const int64_t index =
                (int64_t)indices[d] < 0 ? (int64_t)indices[d] + s->dims[d] : (int64_t)indices[d];
            inside &= index >= 0 && index < s->dims[d];
            if (inside) place += (int32_t)index * s->a[d];
        }
        for (i = 0; inside && i < run; ++i) {
            const A u = y[place + i], v = updates[i];
            (void)u;
            y[place + i] = (A)(VALUE);
        }
    }
}

/* kernel resize_axis: A PARAMETERS VALUE */
/* Each position along an axis as a weighted sum of `taps` others. */
static inline void resize_axis(const A* x, float* y, int32_t outer, int32_t in, int32_t out,
                               int32_t inner, int32_t taps, const int32_t* index,
                               const float* weight PARAMETERS) {
    int32_t o, p, i, k;
    for (o = 0; o < outer; ++o, x += in * inner)
        for (p = 0; p < out; ++p)
            for (i = 0; i < inner; ++i) {
                float sum = 0.0f;
                for (k = 0; k < taps; ++k) {
                    const A u = x[index[p * taps + k] * inner + i];
                    sum += weight[p * taps + k] * VALUE;
                }
                *y++ = sum;
            }
}

/* kernel resize_joint: A PARAMETERS SHARE VALUE */
/* The places of a row that axes of two taps each make, mixed in one sum: of the last axis `out`
 * places, of the others the taps at hand. */
static inline void resize_joint(const A* x, float* y, int32_t others, const int32_t* from,
                                const float* share, int32_t out, int32_t inner,
                                const int32_t* index, const float* weight PARAMETERS) {
    int32_t p, i, k, t;
    for (p = 0; p < out; ++p)
        for (i = 0; i < inner; ++i) {
            float sum = 0.0f;
            for (k = 0; k < others; ++k)
                for (t = p * 2; t < p * 2 + 2; ++t) {
                    const A u = x[(from[k] + index[t]) * inner + i];
                    sum += SHARE * VALUE;
                }
            *y++ = sum;
        }
}

/* kernel group_norm: sqrt */
/* Each of `groups` runs of channels less its mean, over its standard deviation; scaled and shifted
 * channel by channel. */
static inline void group_norm(const float* x, const float* scale, const float* bias, float* y,
                              int32_t batch, int32_t channels, int32_t plane, int32_t groups,
                              double epsilon) {
    const int32_t size = channels / groups * plane;
    int32_t g, i;
    for (g = 0; g < batch * groups; ++g, x += size, y += size) {
        const int32_t first = g % groups * (channels / groups);
        double mean = 0.0, variance = 0.0, inverse;
        for (i = 0; i < size; ++i) mean += (double)x[i];
        mean /= (double)size;
        for (i = 0; i < size; ++i) variance += ((double)x[i] - mean) * ((double)x[i] - mean);
        variance /= (double)size;
        inverse = 1.0 / sqrt(variance + epsilon);
        for (i = 0; i < size; ++i)
            y[i] = (float)(((double)x[i] - mean) * inverse) * scale[first + i / plane] +
                   bias[first + i / plane];
    }
}
