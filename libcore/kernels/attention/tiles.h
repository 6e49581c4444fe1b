// Attention in float32 over tiles of query rows and blocks of keys, with the softmax of what has been seen so far: the matrix of all scores
// is never held (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018; Dao et al., FlashAttention, 2022). The query
// heads that share a key head are rows of the same tiles. Keys that no row of a tile sees are not read. Results depend on the shapes and on
// which keys are seen, not on the number of threads.
#pragma once

#include "libcore/memory/memory.h"
#include "libcore/ops/attention/attention_form.h"
#include "libcore/os/threads.h"

namespace quern::attention {

// Steps, in elements, of an operand [batch, heads, length, size] in memory; a row's elements lie side by side.
struct Strides {
    int64_t batch, head, row;
    explicit Strides(const AttentionHeads& h)
        : batch(h.heads * h.length * h.size), head(h.packed ? h.size : h.length * h.size), row(h.packed ? h.heads * h.size : h.size) {}
    int64_t at(int64_t b, int64_t h) const { return b * batch + h * head; }
};

struct Operand {
    const float* data;
    Strides strides;
};

// What is added to scores: float32, or booleans that hide where they are false. Steps of 0 repeat it.
struct Mask {
    const std::byte* data = nullptr;  // nullptr: none
    bool boolean = false;
    int64_t batch = 0, head = 0, row = 0, column = 0;
    int64_t columns = 0;  // keys behind are hidden
    Mask() = default;
    Mask(const Tensor& mask, const AttentionShape& shape);  // throws Exit::bad_input if it does not fit
};

struct Attention {
    AttentionShape shape;
    float scale, softcap;
    Operand q, k, v;
    float* y;
    Strides y_strides;
    Mask mask;
    VisibleKeys visible;
};

void attend(const Attention& what, Memory& memory, ThreadPool& pool);

}  // namespace quern::attention
