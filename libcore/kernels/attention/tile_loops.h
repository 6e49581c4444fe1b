// The loops of TileLoops, compiled by each source that includes this for the instruction set that is set there: vectors must not pass from
// functions of one to those of another.
#include <algorithm>
#include <cstring>
#include <limits>

#include "libcore/kernels/attention/tile_types.h"
#include "libcore/kernels/simd/math.h"

namespace quern::attention {
namespace {

constexpr size_t lanes = 8;
using V = float __attribute__((vector_size(32)));

QUERN_INLINE V load(const float* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
QUERN_INLINE void store(float* to, V v) { std::memcpy(to, &v, sizeof v); }
QUERN_INLINE V all_of(float x) { return x - V{}; }  // compilers know it for a broadcast

// The sum of the lanes of each of four vectors.
QUERN_INLINE void sums_of(V a, V b, V c, V d, float* to) {
    const V ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) + __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const V cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13) + __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    const V all = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) + __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    const V sums = all + __builtin_shufflevector(all, all, 4, 5, 6, 7, 0, 1, 2, 3);
    std::memcpy(to, &sums, 4 * sizeof(float));
}

// ---- scores ----------------------------------------------------------------------------------------------------------------------------

// R queries with four keys, read along their elements.
template <size_t R>
QUERN_INLINE void dots_of(const float* queries, const float* const* keys, size_t size, float* scores) {
    V sums[R][4] = {};
    const size_t whole = size / lanes * lanes;
    for (size_t i = 0; i < whole; i += lanes) {
        const V key[4] = {load(keys[0] + i), load(keys[1] + i), load(keys[2] + i), load(keys[3] + i)};
        for (size_t r = 0; r < R; ++r) {
            const V query = load(queries + r * size + i);
            for (size_t k = 0; k < 4; ++k) sums[r][k] += query * key[k];
        }
    }
    for (size_t r = 0; r < R; ++r) {
        float* to = scores + r * block_keys;
        sums_of(sums[r][0], sums[r][1], sums[r][2], sums[r][3], to);
        for (size_t i = whole; i < size; ++i)
            for (size_t k = 0; k < 4; ++k) to[k] += queries[r * size + i] * keys[k][i];
    }
}

QUERN_INLINE void scores_of_few(const float* queries, size_t rows, const Rows& keys, size_t count, size_t size, float* scores) {
    for (size_t j = 0; j < count; j += 4) {
        const float* four[4];  // of fewer keys the last one again: its scores are beyond the count
        for (size_t k = 0; k < 4; ++k) four[k] = keys.row(std::min(j + k, count - 1));
        size_t r = 0;
        for (; r + 2 <= rows; r += 2) dots_of<2>(queries + r * size, four, size, scores + r * block_keys + j);
        if (r < rows) dots_of<1>(queries + r * size, four, size, scores + r * block_keys + j);
    }
}

// A square of eight rows turned.
QUERN_INLINE void turn(const float* const* rows, size_t at, float* to) {
    V a[8], b[8];
    for (size_t i = 0; i < 8; ++i) a[i] = load(rows[i] + at);
    for (size_t i = 0; i < 8; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (size_t i = 0; i < 8; i += 4)
        for (size_t k = 0; k < 2; ++k) {
            a[i + 2 * k] = __builtin_shufflevector(b[i + k], b[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[i + 2 * k + 1] = __builtin_shufflevector(b[i + k], b[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (size_t i = 0; i < 4; ++i) {
        store(to + i * block_keys, __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11));
        store(to + (i + 4) * block_keys, __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15));
    }
}

// panel[i * block_keys + j] = keys[j][i]; beyond the count the last key again.
QUERN_INLINE void transpose(const Rows& keys, size_t count, size_t size, float* panel) {
    for (size_t j = 0; j < (count + 15) / 16 * 16; j += lanes) {
        const float* rows[lanes];
        for (size_t k = 0; k < lanes; ++k) rows[k] = keys.row(std::min(j + k, count - 1));
        size_t i = 0;
        for (; i + lanes <= size; i += lanes) turn(rows, i, panel + i * block_keys + j);
        for (; i < size; ++i)
            for (size_t k = 0; k < lanes; ++k) panel[i * block_keys + j + k] = rows[k][i];
    }
}

// R queries with sixteen keys of a panel.
template <size_t R>
QUERN_INLINE void panel_scores(const float* queries, const float* panel, size_t size, float* scores) {
    V sums[R][2] = {};
    for (size_t i = 0; i < size; ++i) {
        const V left = load(panel + i * block_keys), right = load(panel + i * block_keys + lanes);
        for (size_t r = 0; r < R; ++r) {
            const V query = all_of(queries[r * size + i]);
            sums[r][0] += query * left;
            sums[r][1] += query * right;
        }
    }
    for (size_t r = 0; r < R; ++r)
        for (size_t c = 0; c < 2; ++c) store(scores + r * block_keys + c * lanes, sums[r][c]);
}

QUERN_INLINE void scores_of_many(const float* queries, size_t rows, const float* panel, size_t count, size_t size, float* scores) {
    for (size_t j = 0; j < count; j += 16) {
        size_t r = 0;
        for (; r + 6 <= rows; r += 6) panel_scores<6>(queries + r * size, panel + j, size, scores + r * block_keys + j);
        for (; r + 2 <= rows; r += 2) panel_scores<2>(queries + r * size, panel + j, size, scores + r * block_keys + j);
        if (r < rows) panel_scores<1>(queries + r * size, panel + j, size, scores + r * block_keys + j);
    }
}

constexpr size_t few_rows = 4;  // up to which a panel is not worth its making

void scores(const float* queries, size_t rows, const Rows& keys, size_t count, size_t size, Scratch& scratch) {
    float* to = scratch.scores.data();
    if (rows <= few_rows) return scores_of_few(queries, rows, keys, count, size, to);
    transpose(keys, count, size, scratch.panel.data());
    scores_of_many(queries, rows, scratch.panel.data(), count, size, to);
}

void cap(float* scores, size_t count, float max) {
    for (size_t j = 0; j < count; ++j) scores[j] = max * simd::tanh(scores[j] / max);
}

// ---- softmax ---------------------------------------------------------------------------------------------------------------------------

// The larger of two, of a NaN this one.
QUERN_INLINE V larger(V a, V b) { return b <= a ? a : b; }
QUERN_INLINE float larger(float a, float b) { return b <= a ? a : b; }

// By lanes, then the lanes in order.
QUERN_INLINE float largest(const float* items, size_t count, float start) {
    V lane = all_of(start);
    size_t j = 0;
    for (; j + lanes <= count; j += lanes) lane = larger(lane, load(items + j));
    float all = start;
    for (size_t k = 0; k < lanes; ++k) all = larger(all, lane[k]);
    for (; j < count; ++j) all = larger(all, items[j]);
    return all;
}
QUERN_INLINE float sum_of(const float* items, size_t count) {
    V lane{};
    size_t j = 0;
    for (; j + lanes <= count; j += lanes) lane += load(items + j);
    float all = 0;
    for (size_t k = 0; k < lanes; ++k) all += lane[k];
    for (; j < count; ++j) all += items[j];
    return all;
}

void weigh(float* scores, size_t rows, size_t count, float* factors, const Partial& so_far) {
    constexpr float none = -std::numeric_limits<float>::infinity();
    for (size_t r = 0; r < rows; ++r, scores += block_keys) {
        const float before = so_far.max[r];
        const float max = largest(scores, count, before);
        if (max == none) {  // no key is seen yet
            std::fill_n(scores, count, 0.0f);
            factors[r] = 1;
            continue;
        }
        for (size_t j = 0; j < count; ++j) scores[j] = simd::exp(scores[j] - max);
        factors[r] = before == none ? 0 : simd::exp(before - max);
        so_far.max[r] = max;
        so_far.sum[r] = so_far.sum[r] * factors[r] + sum_of(scores, count);
    }
}

// ---- values ----------------------------------------------------------------------------------------------------------------------------

// R rows of C vectors, beginning at one column.
template <size_t R, size_t C>
QUERN_INLINE void values_of(const float* weights, const Rows& v, size_t count, size_t v_size, const float* factors, float* values) {
    V sums[R][C];
    for (size_t r = 0; r < R; ++r)
        for (size_t c = 0; c < C; ++c) sums[r][c] = load(values + r * v_size + c * lanes) * all_of(factors[r]);
    const float* from = v.data;
    for (size_t j = 0; j < count; ++j, from += v.stride) {
        V own[C];
        for (size_t c = 0; c < C; ++c) own[c] = load(from + c * lanes);
        for (size_t r = 0; r < R; ++r) {
            const V weight = all_of(weights[r * block_keys + j]);
            for (size_t c = 0; c < C; ++c) sums[r][c] += weight * own[c];
        }
    }
    for (size_t r = 0; r < R; ++r)
        for (size_t c = 0; c < C; ++c) store(values + r * v_size + c * lanes, sums[r][c]);
}

// R rows in all their columns, most of them C vectors at a time.
template <size_t R, size_t C>
QUERN_INLINE void value_rows(const float* weights, const Rows& v, size_t count, size_t v_size, const float* factors, float* values) {
    size_t at = 0;
    const auto rest = [&] { return Rows{v.data + at, v.stride}; };
    for (; at + C * lanes <= v_size; at += C * lanes) values_of<R, C>(weights, rest(), count, v_size, factors, values + at);
    for (; at + lanes <= v_size; at += lanes) values_of<R, 1>(weights, rest(), count, v_size, factors, values + at);
    for (; at < v_size; ++at)
        for (size_t r = 0; r < R; ++r) {
            float sum = values[r * v_size + at] * factors[r];
            for (size_t j = 0; j < count; ++j) sum += weights[r * block_keys + j] * v.row(j)[at];
            values[r * v_size + at] = sum;
        }
}

void add_values(const float* weights, size_t rows, const Rows& v, size_t count, size_t v_size, const float* factors, float* values) {
    size_t r = 0;
    for (; r + 6 <= rows; r += 6) value_rows<6, 2>(weights + r * block_keys, v, count, v_size, factors + r, values + r * v_size);
    for (; r + 2 <= rows; r += 2) value_rows<2, 4>(weights + r * block_keys, v, count, v_size, factors + r, values + r * v_size);
    if (r < rows) value_rows<1, 8>(weights + r * block_keys, v, count, v_size, factors + r, values + r * v_size);
}

constexpr TileLoops own_loops{scores, cap, weigh, add_values};

}  // namespace
}  // namespace quern::attention
