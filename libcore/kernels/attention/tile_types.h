// Inner loops of attention in float32 over a tile: up to `max_rows` query rows that share their keys, against up to `block_keys` keys.
// Written once with vectors of eight, compiled for several instruction sets. Every sum has one order, whatever tile an element is in.
#pragma once

#include <cstddef>
#include <vector>

namespace quern::attention {

constexpr size_t max_rows = 48, block_keys = 64;

// A run of rows in memory: row i is at data + i * stride.
struct Rows {
    const float* data = nullptr;
    size_t stride = 0;
    const float* row(size_t i) const { return data + i * stride; }
};

// What a tile has computed of its keys so far: of each row the largest score, the sum of exp(score - largest), and the values weighted by
// these, not yet divided by the sum.
struct Partial {
    float *max, *sum;  // [rows]
    float* values;     // [rows, v_size]
};

// A thread's memory for a tile.
struct Scratch {
    std::vector<float> queries, panel, scores, factors, values;
};

struct TileLoops {
    // scores[r * block_keys + j] = queries[r] . keys[j]; queries are [rows, size]. Few rows read the keys as they lie, many a transposed
    // copy of them (in scratch.panel).
    void (*scores)(const float* queries, size_t rows, const Rows& keys, size_t count, size_t size, Scratch& scratch);
    void (*cap)(float* scores, size_t count, float cap);  // cap * tanh(score / cap)
    // A block's scores become weights; scratch.factors: what the sums and values so far are multiplied by.
    void (*weigh)(float* scores, size_t rows, size_t count, float* factors, const Partial& so_far);
    // values[r] = values[r] * factors[r] + sum over j of weights[r][j] * v[j]
    void (*add_values)(const float* weights, size_t rows, const Rows& v, size_t count, size_t v_size, const float* factors, float* values);
};

}  // namespace quern::attention
