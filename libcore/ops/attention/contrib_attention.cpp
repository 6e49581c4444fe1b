// com.microsoft.Attention and QAttention (with their input projections) and MultiHeadAttention. Masks add `mask_filter_value`; a causal row
// hides what is ahead of it completely.
#include <algorithm>
#include <cmath>

#include "libcore/ops/attention/attention.h"
#include "libcore/ops/microsoft/contrib.h"
#include "libcore/ops/microsoft/quantized.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/integer_product.h"

namespace quern {
namespace {

int64_t head_count(const NodeView& node) {
    const int64_t heads = node.integer("num_heads");
    if (heads < 1) throw bad_input("attribute \"num_heads\" is {}, need at least 1", heads);
    return heads;
}

// The value added to the scores of key j for query i of a batch row, from a mask in one of onnxruntime's forms.
template <class T>
class KeyMask {
   public:
    KeyMask(const Tensor* mask, const AttentionShape& s, T filter) : shape_(s), filter_(filter) {
        if (!mask) return;
        items_ = to_ints(*mask);
        const Dims& d = mask->dims;
        if (d == Dims{s.batch})
            form_ = Form::end;
        else if (d == Dims{2 * s.batch})
            form_ = Form::end_and_start;
        else if (d == Dims{s.batch, s.kv_len})
            form_ = Form::keys;
        else if (d == Dims{s.batch, s.q_len, s.kv_len})
            form_ = Form::pairs;
        else
            throw unsupported("a mask of shape {} for {} queries and {} keys", to_string(d), s.q_len, s.kv_len);
    }
    T operator()(int64_t b, int64_t i, int64_t j) const {
        switch (form_) {
            case Form::none: return 0;
            case Form::end: return j < item(b) ? T{0} : filter_;
            case Form::end_and_start: return j < item(b) && j >= item(shape_.batch + b) ? T{0} : filter_;
            case Form::keys: return item(b * shape_.kv_len + j) > 0 ? T{0} : filter_;
            case Form::pairs: return item((b * shape_.q_len + i) * shape_.kv_len + j) > 0 ? T{0} : filter_;
        }
        return 0;
    }

   private:
    enum class Form : uint8_t { none, end, end_and_start, keys, pairs };
    int64_t item(int64_t i) const { return items_[static_cast<size_t>(i)]; }
    AttentionShape shape_;
    T filter_;
    Form form_ = Form::none;
    std::vector<int64_t> items_;
};

template <class T>
void add_biases(EvalCtx& ctx, const AttentionShape& s, const Tensor* mask, const Tensor* bias, std::span<T> scores) {
    const KeyMask<T> key_mask(mask, s, static_cast<T>(ctx.real("mask_filter_value")));
    const bool causal = ctx.integer("unidirectional") != 0;
    const int64_t past = s.kv_len - s.q_len;
    const Dims dims = s.scores();
    if (bias && broadcast(bias->dims, dims) != dims)
        throw bad_input("attention bias is {}, need {}", to_string(bias->dims), to_string(dims));
    const Tensor none = Tensor::scalar(0.0f);
    const Numbers<T> extra(bias ? *bias : none);
    const BroadcastIndex at_bias(bias ? bias->dims : Dims{}, dims);
    size_t at = 0;
    for (int64_t b = 0; b < s.batch; ++b)
        for (int64_t h = 0; h < s.q_heads; ++h)
            for (int64_t i = 0; i < s.q_len; ++i)
                for (int64_t j = 0; j < s.kv_len; ++j, ++at) {
                    scores[at] += key_mask(b, i, j) + extra[at_bias(at)];
                    if (causal && j > past + i) scores[at] = minus_infinity<T>;
                }
}

// Scores, biases, softmax, values; output 0 is [batch, length, heads * v_size].
template <class T>
void attend(EvalCtx& ctx, DType dtype, const AttentionShape& s, const T* q, const T* k, const T* v, const Tensor* mask,
            const Tensor* bias) {
    const double stated = ctx.has("scale") ? ctx.real("scale") : 0,
                 scale = stated != 0 ? stated : 1 / std::sqrt(static_cast<double>(s.size));
    std::vector<T> scores = attention_scores(s, q, k, scale);
    add_biases<T>(ctx, s, mask, bias, scores);
    softmax_lines<T>(scores, s.kv_len);
    std::vector<T> y(static_cast<size_t>(count_of(Dims{s.batch, s.q_heads, s.q_len, s.v_size})), T{0}), merged(y.size());
    attention_values(s, scores.data(), v, y.data());
    merge_heads(y.data(), merged.data(), s.batch, s.q_len, s.q_heads, s.v_size);
    give_numbers<T>(ctx, 0, dtype, {s.batch, s.q_len, s.q_heads * s.v_size}, merged);
}

}  // namespace

// ---- Attention -------------------------------------------------------------------------------------------------------------------------

namespace {

// Columns of query, key and value in the projection.
Dims projected(const NodeView& node, int64_t columns) {
    Dims sizes = node.integers("qkv_hidden_sizes");
    if (sizes.empty()) sizes.assign(3, columns / 3);
    if (sizes.size() != 3 || sizes[0] < 1 || sizes[1] != sizes[0] || sizes[2] < 1 || sizes[0] > columns || sizes[2] > columns ||
        sizes[0] + sizes[1] + sizes[2] != columns)
        throw bad_input("the projection has {} columns for query, key and value of {}", columns, to_string(sizes));
    return sizes;
}

template <class T>
std::vector<T> columns_of(std::span<const T> all, int64_t columns, int64_t first, int64_t count) {
    const int64_t rows = static_cast<int64_t>(all.size()) / columns;
    std::vector<T> out(static_cast<size_t>(rows * count));
    for (int64_t r = 0; r < rows; ++r) std::copy_n(all.data() + r * columns + first, count, out.data() + r * count);
    return out;
}

template <class T>
std::vector<T> split(std::vector<T> packed, int64_t batch, int64_t length, int64_t heads, int64_t size) {
    std::vector<T> out(packed.size());
    split_heads(packed.data(), out.data(), batch, length, heads, size);
    return out;
}

// Half of a [2, batch, heads, length, size] state.
Tensor half(const Tensor& state, int64_t which) {
    Dims dims(state.dims.begin() + 1, state.dims.end());
    const uint64_t size = storage_size(state.dtype, static_cast<uint64_t>(count_of(dims)));
    return {state.dtype, std::move(dims), state.data.slice(static_cast<uint64_t>(which) * size, size)};
}

void check_projection(const Tensor& x, const Tensor& w, const Tensor* bias) {
    if (x.dims.size() != 3 || w.dims.size() != 2 || w.dims[0] != x.dims[2])
        throw bad_input("input is {} and projection {}, need [B,L,K] and [K,N]", to_string(x.dims), to_string(w.dims));
    if (bias && bias->count() != w.dims[1]) throw bad_input("bias has {} numbers, need {}", bias->count(), w.dims[1]);
}

// The other inputs of Attention and QAttention.
struct Extras {
    const Tensor *mask, *past, *bias;
};

// `all`: queries, keys and values side by side, [batch, length, columns].
template <class T>
void attend_projected(EvalCtx& ctx, DType dtype, std::span<const T> all, const Dims& dims, const Extras& extras) {
    const int64_t batch = dims[0], length = dims[1], columns = dims[2], heads = head_count(ctx);
    const Tensor* past = extras.past;
    const Dims sizes = projected(ctx, columns);
    if (sizes[0] % heads != 0 || sizes[2] % heads != 0) throw bad_input("{} heads do not divide {}", heads, to_string(sizes));
    AttentionShape s{batch, heads, heads, length, length, sizes[0] / heads, sizes[2] / heads};
    if (past && (past->dims.size() != 5 || past->dims[0] != 2 || past->dims[1] != batch || past->dims[2] != heads ||
                 past->dims[4] != s.size || s.v_size != s.size))
        throw bad_input("past state is {}, need [2,{},{},*,{}]", to_string(past->dims), batch, heads, s.size);
    const auto q = split(columns_of<T>(all, columns, 0, sizes[0]), batch, length, heads, s.size);
    auto k = split(columns_of<T>(all, columns, sizes[0], sizes[1]), batch, length, heads, s.size);
    auto v = split(columns_of<T>(all, columns, sizes[0] + sizes[1], sizes[2]), batch, length, heads, s.v_size);
    if (past) {
        const Tensor old_k = half(*past, 0), old_v = half(*past, 1);
        k = join_past<T>(&old_k, k, batch * heads, length, s.size);
        v = join_past<T>(&old_v, v, batch * heads, length, s.v_size);
        s.kv_len += past->dims[3];
    }
    if (ctx.wants(1)) {
        std::vector<T> present = k;
        present.insert(present.end(), v.begin(), v.end());
        give_numbers<T>(ctx, 1, dtype, {2, batch, heads, s.kv_len, s.size}, present);
    }
    attend<T>(ctx, dtype, s, q.data(), k.data(), v.data(), extras.mask, extras.bias);
}

template <class T>
void project_and_attend(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &w = ctx.need(1);
    const Tensor* bias = ctx.in(2);
    check_projection(x, w, bias);
    const Dims dims{x.dims[0], x.dims[1], w.dims[1]};
    const Numbers<T> in(x), weight(w);
    std::vector<T> all(static_cast<size_t>(count_of(dims)), T{0});
    if (bias) {
        const Numbers<T> items(*bias);
        for (size_t i = 0; i < all.size(); ++i) all[i] = items[i % items.size()];
    }
    add_product(all.data(), in.span().data(), weight.span().data(), dims[0] * dims[1], x.dims[2], dims[2]);
    attend_projected<T>(ctx, x.dtype, all, dims, {ctx.in(3), ctx.in(4), ctx.in(5)});
}

// Output and present state of a projection of x (input 0) by w (input 1); the past state is input `past`.
void infer_projected(InferCtx& ctx, DType dtype, size_t past) {
    const Shape &x = ctx.shape(0), &w = ctx.shape(1);
    if (x.rank() != 3 || w.rank() != 2 || !w.dims[1].known()) return ctx.set(0, Type::tensor(dtype));
    const Dims sizes = projected(ctx, w.dims[1].value);
    const int64_t heads = head_count(ctx);
    if (sizes[0] % heads != 0 || sizes[2] % heads != 0) throw bad_input("{} heads do not divide {}", heads, to_string(sizes));
    ctx.set(0, Type::tensor(dtype, Shape::of_dims({x.dims[0], x.dims[1], Dim::of(sizes[2])})));
    Dim total = x.dims[1];
    if (ctx.has_in(past)) {
        const Shape& old = ctx.shape(past);
        total = old.rank() == 5 && old.dims[3].known() && total.known() ? Dim::of(old.dims[3].value + total.value) : Dim();
    }
    ctx.set(1, Type::tensor(dtype, Shape::of_dims({Dim::of(2), x.dims[0], Dim::of(heads), total, Dim::of(sizes[0] / heads)})));
}

}  // namespace

void infer_packed_attention(InferCtx& ctx) { infer_projected(ctx, ctx.dtype(0), 4); }

void eval_packed_attention(EvalCtx& ctx) {
    if (ctx.integer("do_rotary")) throw unsupported("do_rotary");
    if (ctx.integer("past_present_share_buffer") || ctx.in(6)) throw unsupported("past_present_share_buffer");
    with_float(ctx.need(0).dtype, [&](auto zero) { project_and_attend<decltype(zero)>(ctx); });
}

// ---- QAttention ------------------------------------------------------------------------------------------------------------------------

void infer_qattention(InferCtx& ctx) { infer_projected(ctx, DType::f32, 8); }

// The projection sums codes in int32, float(sum) * (x_scale * w_scale) + bias; everything behind it is float32.
void eval_qattention(EvalCtx& ctx) {
    if (ctx.integer("do_rotary")) throw unsupported("do_rotary");
    if (ctx.integer("past_present_share_buffer")) throw unsupported("past_present_share_buffer");
    const Tensor &x = ctx.need(0), &w = ctx.need(1), &bias = ctx.need(2);
    check_projection(x, w, &bias);
    for (const size_t i : {0, 1})
        if (bits_of(ctx.need(i).dtype) != 8 || !is_integer(ctx.need(i).dtype))
            throw bad_input("input {} is {}, need int8 or uint8", i, name_of(ctx.need(i).dtype));
    const QuantParams px = quant_params(ctx, 3, 6), pw = quant_params(ctx, 4, 7, w.dims[1]);
    const ProductShape shape = product_shape(x.dims, w.dims);
    const auto sums = integer_matmul(shape, Factors(x, px.zero), Factors(w, pw.zero, 1));
    const std::vector<float> shift = to_floats(bias);
    std::vector<float> all(sums.size());
    for (size_t i = 0; i < all.size(); ++i) {
        const size_t column = i % shift.size();
        all[i] = static_cast<float>(sums[i]) * (px.scale[0] * pw.scale[pw.per_tensor() ? 0 : column]) + shift[column];
    }
    attend_projected<float>(ctx, DType::f32, all, shape.out, {ctx.in(5), ctx.in(8), nullptr});
}

// ---- MultiHeadAttention ----------------------------------------------------------------------------------------------------------------

namespace {

// An operand as [batch, heads, length, size], its part of the bias added.
template <class T>
struct Operand {
    std::vector<T> items;
    int64_t length, size;
};

template <class T>
void add_row(std::vector<T>& packed, const Tensor* bias, int64_t first, int64_t columns) {
    if (!bias) return;
    const Numbers<T> items(*bias);
    if (static_cast<int64_t>(items.size()) < first + columns)
        throw bad_input("bias has {} numbers, need {}", items.size(), first + columns);
    for (size_t i = 0; i < packed.size(); ++i) packed[i] += items[static_cast<size_t>(first) + i % static_cast<size_t>(columns)];
}

// From [batch, length, heads * size], or [batch, heads, length, size] for the keys of cross attention, which have no bias.
template <class T>
Operand<T> operand_of(const Tensor& tensor, int64_t heads, const Tensor* bias, int64_t bias_first) {
    const Dims& d = tensor.dims;
    const Numbers<T> in(tensor);
    std::vector<T> packed(in.span().begin(), in.span().end());
    if (d.size() == 4 && d[1] == heads) return {std::move(packed), d[2], d[3]};
    if (d.size() != 3 || d[2] % heads != 0)
        throw bad_input("an operand is {}, need [batch,length,columns] with {} heads", to_string(d), heads);
    add_row(packed, bias, bias_first, d[2]);
    return {split(std::move(packed), d[0], d[1], heads, d[2] / heads), d[1], d[2] / heads};
}

// Part `which` of [batch, length, heads, parts, size].
template <class T>
Operand<T> packed_part(const Tensor& tensor, int64_t heads, int64_t parts, int64_t which) {
    const Dims& d = tensor.dims;
    if (d.size() != 5 || d[2] != heads || d[3] != parts)
        throw bad_input("packed input is {}, need [batch,length,{},{},size]", to_string(d), heads, parts);
    const Numbers<T> in(tensor);
    std::vector<T> packed(in.size() / static_cast<size_t>(parts));
    for (int64_t i = 0; i < d[0] * d[1] * heads; ++i)
        std::copy_n(in.span().data() + (i * parts + which) * d[4], d[4], packed.data() + i * d[4]);
    return {split(std::move(packed), d[0], d[1], heads, d[4]), d[1], d[4]};
}

template <class T>
void attend_heads(EvalCtx& ctx) {
    const Tensor& query = ctx.need(0);
    const Tensor *key = ctx.in(1), *value = ctx.in(2), *bias = ctx.in(3);
    if (query.dims.size() < 3) throw bad_input("query is {}, need rank 3 or 5", to_string(query.dims));
    const int64_t heads = head_count(ctx), batch = query.dims[0];
    if (!key && bias) throw unsupported("a bias with packed query, key and value");
    auto q = key ? operand_of<T>(query, heads, bias, 0) : packed_part<T>(query, heads, 3, 0);
    const int64_t columns = heads * q.size;
    auto k = !key    ? packed_part<T>(query, heads, 3, 1)
             : value ? operand_of<T>(*key, heads, bias, columns)
                     : packed_part<T>(*key, heads, 2, 0);
    auto v = !key    ? packed_part<T>(query, heads, 3, 2)
             : value ? operand_of<T>(*value, heads, bias, 2 * columns)
                     : packed_part<T>(*key, heads, 2, 1);
    const int64_t lines = batch * heads;
    if (k.size != q.size || k.length != v.length || static_cast<int64_t>(k.items.size()) != lines * k.length * k.size ||
        static_cast<int64_t>(v.items.size()) != lines * v.length * v.size)
        throw bad_input("query, key and value do not fit");
    const Tensor *past_k = ctx.in(6), *past_v = ctx.in(7);
    if ((past_k != nullptr) != (past_v != nullptr)) throw bad_input("past key and past value need each other");
    int64_t total = k.length;
    if (past_k) {
        const int64_t old = past_k->dims.size() == 4 ? past_k->dims[2] : -1;
        if (past_k->dims != Dims{batch, heads, old, k.size} || past_v->dims != Dims{batch, heads, old, v.size})
            throw bad_input("past key is {} and past value {}, need [{},{},*,{}] and [{},{},*,{}]", to_string(past_k->dims),
                            to_string(past_v->dims), batch, heads, k.size, batch, heads, v.size);
        k.items = join_past<T>(past_k, k.items, lines, k.length, k.size);
        v.items = join_past<T>(past_v, v.items, lines, v.length, v.size);
        total += old;
    }
    give_numbers<T>(ctx, 1, query.dtype, {batch, heads, total, k.size}, k.items);
    give_numbers<T>(ctx, 2, query.dtype, {batch, heads, total, v.size}, v.items);
    attend<T>(ctx, ctx.need(0).dtype, {batch, heads, heads, q.length, total, q.size, v.size}, q.items.data(), k.items.data(),
              v.items.data(), ctx.in(4), ctx.in(5));
}

}  // namespace

void infer_multi_head_attention(InferCtx& ctx) {
    const Shape& q = ctx.shape(0);
    Shape out = Shape::of_rank(3);
    const int64_t heads = head_count(ctx);
    if (q.rank() == 3 && q.dims[2].known() && q.dims[2].value % heads != 0)
        throw bad_input("query is {}, whose columns are not those of {} heads", to_string(q), heads);
    if (q.rank() == 5 && q.dims[2].known() && q.dims[2].value != heads)
        throw bad_input("query is {}, need [batch,length,{},3,size]", to_string(q), heads);
    if (q.ranked && q.rank() >= 2) {
        out.dims[0] = q.dims[0];
        out.dims[1] = q.dims[1];
        if (q.rank() == 3) out.dims[2] = q.dims[2];
        if (q.rank() == 5 && q.dims[4].known()) out.dims[2] = Dim::of(count_of(Dims{head_count(ctx), q.dims[4].value}));
    }
    if (ctx.has_in(2)) {
        const Shape& v = ctx.shape(2);
        out.dims[2] = v.rank() == 3                        ? v.dims[2]
                      : v.rank() == 4 && v.dims[3].known() ? Dim::of(count_of(Dims{head_count(ctx), v.dims[3].value}))
                                                           : Dim();
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
    for (size_t i = 1; i < 3; ++i) ctx.set(i, Type::tensor(ctx.dtype(0), Shape::of_rank(4)));
}

void eval_multi_head_attention(EvalCtx& ctx) {
    if (ctx.in(8) || ctx.in(9) || ctx.wants(3)) throw unsupported("a shared cache or the scores as output");
    with_float(ctx.need(0).dtype, [&](auto zero) { attend_heads<decltype(zero)>(ctx); });
}

}  // namespace quern
