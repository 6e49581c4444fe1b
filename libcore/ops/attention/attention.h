// Scaled dot product attention in steps, which the attention operators put together in their own ways, and the members of the family that
// have files of their own. Tensors are [batch, heads, length, size].
#pragma once

#include <limits>

#include "libcore/ops/shared/spatial.h"

namespace quern {

struct AttentionShape {
    int64_t batch, q_heads, kv_heads, q_len, kv_len, size, v_size;
    Dims scores() const { return {batch, q_heads, q_len, kv_len}; }
    int64_t kv_head(int64_t q_head) const { return q_head / (q_heads / kv_heads); }
};

template <class T>
inline constexpr T minus_infinity = -std::numeric_limits<T>::infinity();

// q * k^T * scale; q and k are each scaled by the root, as the standard has it.
template <class T>
std::vector<T> attention_scores(const AttentionShape& shape, const T* q, const T* k, double scale);

// Softmax of every line of `length`; a line of nothing but minus infinity becomes 0.
template <class T>
void softmax_lines(std::span<T> scores, int64_t length);

// y += probabilities * v; y is [batch, q_heads, q_len, v_size] and starts as 0.
template <class T>
void attention_values(const AttentionShape& shape, const T* probabilities, const T* v, T* y);

// [batch, length, heads * size] to [batch, heads, length, size] and back.
template <class T>
void split_heads(const T* from, T* to, int64_t batch, int64_t length, int64_t heads, int64_t size) {
    for (int64_t b = 0; b < batch; ++b)
        for (int64_t s = 0; s < length; ++s)
            for (int64_t h = 0; h < heads; ++h)
                std::copy_n(from + ((b * length + s) * heads + h) * size, size, to + ((b * heads + h) * length + s) * size);
}
template <class T>
void merge_heads(const T* from, T* to, int64_t batch, int64_t length, int64_t heads, int64_t size) {
    split_heads(from, to, batch, heads, length, size);
}

// past [lines, before, size] and fresh [lines, length, size] joined along the length.
template <class T>
std::vector<T> join_past(const Tensor* past, std::span<const T> fresh, int64_t lines, int64_t length, int64_t size) {
    if (!past) return {fresh.begin(), fresh.end()};
    const Numbers<T> before(*past);
    const int64_t old = lines * size == 0 ? 0 : past->count() / (lines * size);
    std::vector<T> out(static_cast<size_t>(count_of(Dims{lines, old + length, size})));
    for (int64_t i = 0; i < lines; ++i) {
        T* to = out.data() + i * (old + length) * size;
        std::copy_n(before.span().data() + i * old * size, old * size, to);
        std::copy_n(fresh.data() + i * length * size, length * size, to + old * size);
    }
    return out;
}

// Output i of any dtype from numbers in T.
template <class T>
void give_numbers(EvalCtx& ctx, size_t i, DType dtype, const Dims& dims, std::span<const T> items) {
    if (!ctx.wants(i)) return;
    NumbersOut<T> out(ctx, i, dtype, dims);
    std::copy(items.begin(), items.end(), out.span().begin());
}

void infer_flex_attention(InferCtx& ctx);
void eval_flex_attention(EvalCtx& ctx);
void infer_linear_attention(InferCtx& ctx);
void eval_linear_attention(EvalCtx& ctx);
void infer_rotary_embedding(InferCtx& ctx);
void eval_rotary_embedding(EvalCtx& ctx);

}  // namespace quern
