/* Attention and the rotation of positions. */
#pragma once

#include <stdint.h>

/* kernel attention_t */
/* Lengths of attention, and steps in elements from image to image, head to head and position to
 * position. */
typedef struct {
    int32_t batch, q_heads, kv_heads, q_len, kv_len, past, size, v_size;
    int32_t q[3], k[3], v[3], y[3];
    int32_t mask[4], mask_columns; /* columns behind those of the mask are hidden; 1: broadcast */
    int32_t causal, left, right;   /* keys that a query sees before and behind its own; -1: all */
    float root, signed_root, cap;  /* of the scale; 0: no cap */
    int32_t shown; /* which scores are a result: 0 products, 1 capped, 2 masked, 3 probabilities */
} attention_t;

/* kernel attention: M ROUNDING tanhf MASKED ROUND expf */
/* Each query's mean of values, weighted by its products with keys. `line` has room for kv_len
 * numbers. */
static inline void attention(const float* q, const float* k, const float* v, const M* mask,
                             const int64_t* lengths, float* y, float* shown, float* line,
                             ROUNDING const attention_t* s) {
    int32_t b, h, i, j, c;
    for (b = 0; b < s->batch; ++b)
        for (h = 0; h < s->q_heads; ++h)
            for (i = 0; i < s->q_len; ++i) {
                const int32_t g = h / (s->q_heads / s->kv_heads);
                const int32_t place = i + (lengths ? (int32_t)lengths[b] - s->q_len : s->past);
                const float* query = q + b * s->q[0] + h * s->q[1] + i * s->q[2];
                float *to = y + b * s->y[0] + h * s->y[1] + i * s->y[2], most = -1.0f / 0.0f,
                      sum = 0.0f;
                for (j = 0; j < s->kv_len; ++j) {
                    const float* key = k + b * s->k[0] + g * s->k[1] + j * s->k[2];
                    float product = 0.0f;
                    for (c = 0; c < s->size; ++c)
                        product += (query[c] * s->root) * (key[c] * s->signed_root);
                    line[j] = product;
                }
                for (j = 0; shown && s->shown == 0 && j < s->kv_len; ++j) shown[j] = line[j];
                for (j = 0; s->cap > 0.0f && j < s->kv_len; ++j)
                    line[j] = s->cap * tanhf(line[j] / s->cap);
                for (j = 0; shown && s->shown == 1 && j < s->kv_len; ++j) shown[j] = line[j];
                for (j = 0; j < s->kv_len; ++j) {
                    if (mask && s->mask_columns > 1 && j >= s->mask_columns)
                        line[j] = -1.0f / 0.0f;
                    else if (mask) {
                        const M item =
                            mask[b * s->mask[0] + h * s->mask[1] + i * s->mask[2] + j * s->mask[3]];
                        line[j] = MASKED;
                    }
                    if ((lengths && j >= lengths[b]) || (s->causal && j > place) ||
                        (s->left >= 0 && j < place - s->left) ||
                        (s->right >= 0 && j > place + s->right))
                        line[j] = -1.0f / 0.0f;
                }
                for (j = 0; shown && s->shown == 2 && j < s->kv_len; ++j) shown[j] = line[j];
                ROUND
                for (j = 0; j < s->kv_len; ++j)
                    if (most < line[j]) most = line[j];
                for (j = 0; j < s->kv_len; ++j)
                    sum += line[j] = most < -3.4e38f ? 0.0f : expf(line[j] - most);
                for (j = 0; sum > 0.0f && j < s->kv_len; ++j) line[j] /= sum;
                ROUND
                for (j = 0; shown && s->shown == 3 && j < s->kv_len; ++j) shown[j] = line[j];
                if (shown) shown += s->kv_len;
                for (c = 0; c < s->v_size; ++c) to[c] = 0.0f;
                for (j = 0; j < s->kv_len; ++j) {
                    const float* value = v + b * s->v[0] + g * s->v[1] + j * s->v[2];
                    for (c = 0; c < s->v_size; ++c) to[c] += line[j] * value[c];
                }
            }
}

/* kernel rotary_t */
/* Lengths of rotary data, steps in elements from image to image, head to head and position to
 * position, and those of a pair. */
typedef struct {
    int32_t batch, heads, length, size, half, rows;
    int32_t step[3];
    int32_t first, second; /* pair i begins at i * first; its other half lies `second` further */
} rotary_t;

/* kernel rotary */
/* Without positions every token has rows of its own in the caches. */
static inline void rotary(const float* x, const float* cosines, const float* sines,
                          const int64_t* positions, float* y, const rotary_t* s) {
    int32_t b, h, t, i;
    for (b = 0; b < s->batch; ++b)
        for (t = 0; t < s->length; ++t) {
            int64_t row = positions ? positions[b * s->length + t] : b * s->length + t;
            if (row < 0 || row >= s->rows) row = 0;
            for (h = 0; h < s->heads; ++h) {
                const int32_t at = b * s->step[0] + h * s->step[1] + t * s->step[2];
                for (i = 0; i < s->half; ++i) {
                    const float cosine = cosines[row * s->half + i],
                                sine = sines[row * s->half + i];
                    const float u = x[at + i * s->first], v = x[at + i * s->first + s->second];
                    y[at + i * s->first] = cosine * u - sine * v;
                    y[at + i * s->first + s->second] = sine * u + cosine * v;
                }
                for (i = 2 * s->half; i < s->size; ++i) y[at + i] = x[at + i];
            }
        }
}
