// com.microsoft.GroupQueryAttention: causal attention with a cache, rows of different lengths, rotation and a local window, as
// onnxruntime's CPU kernel computes it. New keys and values go behind each row's own past.
#include <algorithm>
#include <cmath>

#include "libcore/ops/attention/attention.h"
#include "libcore/ops/attention/rotary.h"
#include "libcore/ops/microsoft/contrib.h"
#include "libcore/ops/shared/activation.h"

namespace quern {
namespace {

constexpr int64_t head_limit = int64_t{1} << 31;

struct Grouped {
    int64_t batch, length, q_heads, kv_heads, size, past, total;  // past: length of the given cache; total: of the made one
    std::vector<int64_t> before;                                  // valid positions of the cache of each row
    bool packed;                                                  // query, key and value in input 0
    int64_t q_columns() const { return q_heads * size; }
    int64_t kv_columns() const { return kv_heads * size; }
};

void refuse_rest(EvalCtx& ctx) {
    if (ctx.integer("smooth_softmax") > 0 || ctx.in(11)) throw unsupported("smooth_softmax and head_sink");
    if (ctx.wants(3)) throw unsupported("the scores as output");
    if (ctx.in(12) || ctx.in(13)) throw unsupported("a quantized cache");
}

void check_operands(EvalCtx& ctx, const Grouped& g) {
    const Dims kv{g.batch, g.length, g.kv_columns()}, cache{g.batch, g.kv_heads, g.past, g.size};
    for (const size_t i : {1, 2})
        if (!g.packed && ctx.need(i).dims != kv) throw bad_input("input {} is {}, need {}", i, to_string(ctx.need(i).dims), to_string(kv));
    if ((ctx.in(3) != nullptr) != (ctx.in(4) != nullptr)) throw bad_input("past_key and past_value need each other");
    for (const size_t i : {3, 4})
        if (ctx.in(i) && ctx.in(i)->dims != cache)
            throw bad_input("input {} is {}, need {}", i, to_string(ctx.in(i)->dims), to_string(cache));
}

Grouped grouped_of(EvalCtx& ctx) {
    const Dims& q = ctx.need(0).dims;
    const int64_t heads = ctx.integer("num_heads"), kv_heads = ctx.integer("kv_num_heads");
    if (heads < 1 || kv_heads < 1 || heads > head_limit || heads % kv_heads != 0)
        throw bad_input("{} query heads do not share {} key heads", heads, kv_heads);
    if (q.size() != 3) throw bad_input("query is {}, need rank 3", to_string(q));
    const bool packed = !ctx.in(1);
    const int64_t parts = packed ? heads + 2 * kv_heads : heads;
    if (parts < 1 || q[2] % parts != 0) throw bad_input("query has {} columns, need a multiple of {} heads", q[2], parts);
    Grouped g{q[0], q[1], heads, kv_heads, q[2] / parts, 0, 0, {}, packed};
    if (ctx.in(3)) g.past = ctx.in(3)->dims.size() == 4 ? ctx.in(3)->dims[2] : -1;
    check_operands(ctx, g);
    const auto lengths = to_ints(ctx.need(5)), total = to_ints(ctx.need(6));
    if (static_cast<int64_t>(lengths.size()) != g.batch || total.size() != 1)
        throw bad_input("{} lengths, need {}, one per row", lengths.size(), g.batch);
    if (total[0] < g.length || total[0] > g.past + g.length)
        throw bad_input("total length is {}, past {} and new {}", total[0], g.past, g.length);
    g.total = std::max(g.past, total[0]);
    const bool prompt = total[0] == g.length;
    for (const int64_t last : lengths) {
        const bool inside = last >= 0 && last < total[0];
        const int64_t before = prompt || !inside ? 0 : last + 1 - g.length;
        if (!inside || before < 0 || before > g.past) throw bad_input("a row ends at {}, total length is {}", last, total[0]);
        g.before.push_back(before);
    }
    return g;
}

// Columns [first, first + heads * size) of [batch, length, columns] as [batch, heads, length, size].
template <class T>
std::vector<T> heads_from(const Tensor& tensor, const Grouped& g, int64_t heads, int64_t first) {
    const Numbers<T> in(tensor);
    const int64_t columns = tensor.dims[2];
    std::vector<T> out(static_cast<size_t>(count_of(Dims{g.batch, heads, g.length, g.size})));
    for (int64_t b = 0; b < g.batch; ++b)
        for (int64_t h = 0; h < heads; ++h)
            for (int64_t s = 0; s < g.length; ++s)
                std::copy_n(in.span().data() + (b * g.length + s) * columns + first + h * g.size, g.size,
                            out.data() + ((b * heads + h) * g.length + s) * g.size);
    return out;
}

template <class T>
void rotate_heads(EvalCtx& ctx, const Grouped& g, int64_t heads, std::vector<T>& items) {
    const Tensor &cosine = ctx.need(7), &sine = ctx.need(8);
    if (cosine.dims.size() != 2 || sine.dims != cosine.dims)
        throw bad_input("caches are {} and {}, need equal dims of rank 2", to_string(cosine.dims), to_string(sine.dims));
    const Rotary r = rotary_of({g.batch, heads, g.length, g.size}, heads, 2 * cosine.dims[1], ctx.integer("rotary_interleaved") != 0);
    const Numbers<T> c(cosine), s(sine);
    std::vector<int64_t> ids;
    if (ctx.in(9)) ids = to_ints(*ctx.in(9));
    if (ctx.in(9) && ctx.in(9)->dims != Dims{g.batch, g.length})
        throw bad_input("input 9 is {}, need [{},{}]", to_string(ctx.in(9)->dims), g.batch, g.length);
    const auto angle = [&](int64_t b, int64_t at) {
        const int64_t position = ids.empty() ? g.before[static_cast<size_t>(b)] + at : ids[static_cast<size_t>(b * g.length + at)];
        if (position < 0 || position >= cosine.dims[0])
            throw bad_input("position {} is outside of the cache's {}", position, cosine.dims[0]);
        return position;
    };
    std::vector<T> out(items.size());
    rotate(r, items.data(), c.span().data(), s.span().data(), angle, out.data());
    items = std::move(out);
}

// The cache with the new items behind each row's past; what lies behind them is 0.
template <class T>
std::vector<T> updated(const Tensor* past, const Grouped& g, const std::vector<T>& fresh) {
    std::vector<T> out(static_cast<size_t>(count_of(Dims{g.batch, g.kv_heads, g.total, g.size})), T{0}), old;
    if (past) {
        const Numbers<T> items(*past);
        old.assign(items.span().begin(), items.span().end());
    }
    for (int64_t line = 0; line < g.batch * g.kv_heads; ++line) {
        const int64_t before = g.before[static_cast<size_t>(line / g.kv_heads)];
        T* to = out.data() + line * g.total * g.size;
        std::copy_n(old.data() + line * g.past * g.size, before * g.size, to);
        std::copy_n(fresh.data() + line * g.length * g.size, g.length * g.size, to + before * g.size);
    }
    return out;
}

template <class T>
void hide_and_bias(EvalCtx& ctx, const Grouped& g, std::span<T> scores) {
    const int64_t window = ctx.integer("local_window_size");
    const Tensor* bias = ctx.in(10);
    Dims dims{g.batch, g.q_heads, g.length, bias && !bias->dims.empty() ? bias->dims.back() : 0};
    if (bias && (broadcast(bias->dims, dims) != dims || dims.back() > g.total))
        throw bad_input("attention bias is {}, need dims that broadcast to [{},{},{},{}]", to_string(bias->dims), g.batch, g.q_heads,
                        g.length, g.total);
    const Tensor none = Tensor::scalar(0.0f);
    const Numbers<T> extra(bias ? *bias : none);
    const BroadcastIndex at_bias(bias ? bias->dims : Dims{}, bias ? dims : Dims{});
    for (int64_t line = 0; line < g.batch * g.q_heads * g.length; ++line) {
        const int64_t position = g.before[static_cast<size_t>(line / (g.q_heads * g.length))] + line % g.length;
        for (int64_t j = 0; j < g.total; ++j) {
            T& score = scores[static_cast<size_t>(line * g.total + j)];
            if (bias && j < dims.back()) score += extra[at_bias(static_cast<size_t>(line * dims.back() + j))];
            if (j > position || (window >= 0 && j <= position - window)) score = minus_infinity<T>;
        }
    }
}

template <class T>
void attend(EvalCtx& ctx) {
    const Grouped g = grouped_of(ctx);
    const Tensor& query = ctx.need(0);
    auto q = heads_from<T>(query, g, g.q_heads, 0);
    auto k = heads_from<T>(g.packed ? query : ctx.need(1), g, g.kv_heads, g.packed ? g.q_columns() : 0);
    const auto fresh_v = heads_from<T>(g.packed ? query : ctx.need(2), g, g.kv_heads, g.packed ? g.q_columns() + g.kv_columns() : 0);
    if (ctx.integer("do_rotary")) {
        rotate_heads(ctx, g, g.q_heads, q);
        rotate_heads(ctx, g, g.kv_heads, k);
    }
    k = updated(ctx.in(3), g, k);
    const auto v = updated(ctx.in(4), g, fresh_v);
    const Dims cache{g.batch, g.kv_heads, g.total, g.size};
    give_numbers<T>(ctx, 1, query.dtype, cache, k);
    give_numbers<T>(ctx, 2, query.dtype, cache, v);

    const AttentionShape s{g.batch, g.q_heads, g.kv_heads, g.length, g.total, g.size, g.size};
    const double stated = ctx.real("scale"), scale = stated != 0 ? stated : 1 / std::sqrt(static_cast<double>(g.size));
    std::vector<T> scores = attention_scores(s, q.data(), k.data(), scale);
    if (const T cap = static_cast<T>(ctx.real("softcap")); cap > 0)
        for (T& item : scores) item = act::soft_cap(item, cap);
    hide_and_bias<T>(ctx, g, scores);
    softmax_lines<T>(scores, g.total);
    std::vector<T> y(static_cast<size_t>(count_of(Dims{g.batch, g.q_heads, g.length, g.size})), T{0}), merged(y.size());
    attention_values(s, scores.data(), v.data(), y.data());
    merge_heads(y.data(), merged.data(), g.batch, g.length, g.q_heads, g.size);
    give_numbers<T>(ctx, 0, query.dtype, {g.batch, g.length, g.q_columns()}, merged);
}

}  // namespace

void infer_grouped_attention(InferCtx& ctx) {
    const int64_t heads = ctx.integer("num_heads"), kv_heads = ctx.integer("kv_num_heads");
    if (heads < 1 || kv_heads < 1 || heads > head_limit || heads % kv_heads != 0)
        throw bad_input("{} query heads do not share {} key heads", heads, kv_heads);
    const Shape& q = ctx.shape(0);
    Shape out = Shape::of_rank(3), cache = Shape::of_rank(4);
    if (q.rank() == 3) {
        out = q;
        const Dim& columns = q.dims[2];
        const int64_t parts = ctx.has_in(1) ? heads : heads + 2 * kv_heads;
        if (columns.known() && columns.value % parts != 0)
            throw bad_input("query has {} columns, need a multiple of {} heads", columns.value, parts);
        const Dim size = columns.known() ? Dim::of(columns.value / parts) : Dim();
        if (!ctx.has_in(1)) out.dims[2] = size.known() ? Dim::of(count_of(Dims{size.value, heads})) : Dim();
        cache = Shape::of_dims({q.dims[0], Dim::of(kv_heads), Dim(), size});
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
    for (const size_t i : {1, 2}) ctx.set(i, Type::tensor(ctx.dtype(0), cache));
}

void eval_grouped_attention(EvalCtx& ctx) {
    refuse_rest(ctx);
    with_float(ctx.need(0).dtype, [&](auto zero) { attend<decltype(zero)>(ctx); });
}

}  // namespace quern
