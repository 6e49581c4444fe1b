// Attention of ai.onnx, and the rows of the family.
#include <algorithm>
#include <array>
#include <optional>

#include "libcore/ops/attention/attention_form.h"
#include "libcore/ops/shared/activation.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

template <class T>
std::vector<T> unpacked(const Tensor& tensor, const AttentionHeads& h) {
    const Numbers<T> in(tensor);
    std::vector<T> out(in.span().begin(), in.span().end());
    if (h.packed) split_heads(in.span().data(), out.data(), h.batch, h.length, h.heads, h.size);
    return out;
}

// ---- types -------------------------------------------------------------------------------------------------------------------------

Dim sum_of(const Dim& a, const Dim& b) { return a.known() && b.known() ? Dim::of(a.value + b.value) : Dim::unknown(); }
Dim part_of(const Dim& whole, int64_t parts) { return whole.known() && parts > 0 ? Dim::of(whole.value / parts) : Dim::unknown(); }

struct HeadDims {
    Dim batch, heads, length, size;
    HeadDims(const NodeView& node, const Shape& shape, std::string_view attribute) {
        if (shape.rank() == 4) {
            batch = shape.dims[0], heads = shape.dims[1], length = shape.dims[2], size = shape.dims[3];
            return;
        }
        if (shape.rank() != 3) throw bad_input("input is {}, need rank 3 or 4", to_string(shape));
        const int64_t count = node.has(attribute) ? node.integer(attribute) : 0;
        if (count < 1) throw bad_input("attribute \"{}\" is {}, need at least 1", attribute, count);
        if (shape.dims[2].known() && shape.dims[2].value % count != 0)
            throw bad_input("attribute \"{}\" is {}, the input has {} columns", attribute, count, shape.dims[2].value);
        batch = shape.dims[0], heads = Dim::of(count), length = shape.dims[1], size = part_of(shape.dims[2], count);
    }
};

void infer_attention(InferCtx& ctx) {
    for (size_t i = 0; i < 3; ++i)
        if (!ctx.shape(i).ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    const HeadDims q(ctx, ctx.shape(0), "q_num_heads"), k(ctx, ctx.shape(1), "kv_num_heads"), v(ctx, ctx.shape(2), "kv_num_heads");
    if (q.heads.known() && k.heads.known() && (k.heads.value < 1 || q.heads.value % k.heads.value != 0))
        throw bad_input("{} query heads do not share {} key heads", q.heads.value, k.heads.value);
    Shape y = Shape::of_dims({q.batch, q.heads, q.length, v.size});
    if (ctx.shape(0).rank() == 3)
        y = Shape::of_dims(
            {q.batch, q.length, q.heads.known() && v.size.known() ? Dim::of(count_of(Dims{q.heads.value, v.size.value})) : Dim()});
    Dim total = k.length;
    if (ctx.has_in(4)) total = ctx.shape(4).rank() == 4 ? sum_of(ctx.shape(4).dims[2], k.length) : Dim::unknown();
    ctx.set(0, Type::tensor(ctx.dtype(0), y));
    ctx.set(1, Type::tensor(ctx.dtype(1), Shape::of_dims({q.batch, k.heads, total, k.size})));
    ctx.set(2, Type::tensor(ctx.dtype(2), Shape::of_dims({q.batch, v.heads, total, v.size})));
    ctx.set(3, Type::tensor(ctx.dtype(0), Shape::of_dims({q.batch, q.heads, q.length, total})));
}

// ---- the bias ------------------------------------------------------------------------------------------------------------------------

template <class T>
void hide(std::span<T> scores, const AttentionShape& s, const VisibleKeys& visible) {
    T* line = scores.data();
    for (int64_t b = 0; b < s.batch; ++b)
        for (int64_t h = 0; h < s.q_heads; ++h)
            for (int64_t i = 0; i < s.q_len; ++i, line += s.kv_len) {
                const auto [begin, end] = visible.of(b, i);
                std::fill(line, line + begin, minus_infinity<T>);
                std::fill(line + end, line + s.kv_len, minus_infinity<T>);
            }
}

// Adds a mask that broadcasts to the scores; one that is shorter hides the keys behind its end.
template <class T>
void add_mask(std::span<T> scores, const AttentionShape& s, const Tensor& mask) {
    const Dims want = mask_dims(s, mask.dims);
    const Numbers<T> items(mask);
    const BroadcastIndex at(mask.dims, want);
    size_t from = 0;
    for (size_t line = 0; line < scores.size(); line += static_cast<size_t>(s.kv_len))
        for (int64_t j = 0; j < s.kv_len; ++j) {
            T& score = scores[line + static_cast<size_t>(j)];
            if (j >= want.back()) {
                score = minus_infinity<T>;
                continue;
            }
            const T item = items[at(from++)];
            if (mask.dtype == DType::boolean)
                score = item != 0 ? score : minus_infinity<T>;
            else
                score += item;
        }
}

// ---- Attention -------------------------------------------------------------------------------------------------------------------------

// Rounds to the type that the softmax is asked to be computed in, where it is narrower.
template <class T>
void round_to(std::span<T> items, std::optional<DType> precision) {
    if (precision != DType::f16 && precision != DType::bf16) return;
    std::vector<float> wide(items.begin(), items.end());
    wide = to_floats(from_floats(*precision, {static_cast<int64_t>(wide.size())}, wide));
    std::copy(wide.begin(), wide.end(), items.begin());
}

template <class T>
void attend(EvalCtx& ctx) {
    const Tensor &query = ctx.need(0), &key = ctx.need(1), &value = ctx.need(2);
    const AttentionRules rules(ctx);
    const AttentionHeads qh = attention_heads(query.dims, rules.q_heads, "q_num_heads"),
                         kh = attention_heads(key.dims, rules.kv_heads, "kv_num_heads"),
                         vh = attention_heads(value.dims, rules.kv_heads, "kv_num_heads");
    const auto dims_of = [&](size_t i) { return ctx.in(i) ? &ctx.in(i)->dims : nullptr; };
    const AttentionShape s = attention_shape(qh, kh, vh, dims_of(4), dims_of(5));
    const int64_t lines = s.batch * s.kv_heads, mode = ctx.integer("qk_matmul_output_mode");
    const std::vector<T> q = unpacked<T>(query, qh);
    const std::vector<T> k = join_past<T>(ctx.in(4), unpacked<T>(key, kh), lines, kh.length, s.size);
    const std::vector<T> v = join_past<T>(ctx.in(5), unpacked<T>(value, vh), lines, vh.length, s.v_size);
    give_numbers<T>(ctx, 1, key.dtype, {s.batch, s.kv_heads, s.kv_len, s.size}, k);
    give_numbers<T>(ctx, 2, value.dtype, {s.batch, s.kv_heads, s.kv_len, s.v_size}, v);

    std::vector<T> scores = attention_scores(s, q.data(), k.data(), rules.scale_of(s.size));
    const auto stage = [&](int64_t number) {
        if (mode == number) give_numbers<T>(ctx, 3, query.dtype, s.scores(), scores);
    };
    stage(0);
    if (const T cap = static_cast<T>(rules.softcap); cap > 0)
        for (T& item : scores) item = act::soft_cap(item, cap);
    stage(1);
    if (ctx.in(3)) add_mask<T>(scores, s, *ctx.in(3));
    hide<T>(scores, s, VisibleKeys(rules, s, s.kv_len - kh.length, ctx.in(6)));
    stage(2);
    const auto precision = ctx.has("softmax_precision") ? dtype_of_onnx(static_cast<int>(ctx.integer("softmax_precision"))) : std::nullopt;
    round_to<T>(scores, precision);
    softmax_lines<T>(scores, s.kv_len);
    round_to<T>(scores, precision);
    stage(3);
    std::vector<T> y(static_cast<size_t>(count_of(Dims{s.batch, s.q_heads, s.q_len, s.v_size})), T{0});
    attention_values(s, scores.data(), v.data(), y.data());
    if (!qh.packed) return give_numbers<T>(ctx, 0, query.dtype, {s.batch, s.q_heads, s.q_len, s.v_size}, y);
    std::vector<T> packed(y.size());
    merge_heads(y.data(), packed.data(), s.batch, s.q_len, s.q_heads, s.v_size);
    give_numbers<T>(ctx, 0, query.dtype, {s.batch, s.q_len, s.q_heads * s.v_size}, packed);
}

void eval_attention(EvalCtx& ctx) {
    const int64_t mode = ctx.integer("qk_matmul_output_mode");
    if (mode < 0 || mode > 3) throw bad_input("attribute \"qk_matmul_output_mode\" is {}, need 0 to 3", mode);
    with_float(ctx.need(0).dtype, [&](auto zero) { attend<decltype(zero)>(ctx); });
}

// ---- rows ------------------------------------------------------------------------------------------------------------------------------

// Both products: every query with every key, and with every value.
Cost attention_cost(const CostCtx& ctx) {
    const Dims &q = ctx.in[0], &k = ctx.in[1];
    if (q.size() < 3 || k.size() != q.size()) return {};
    const double keys = static_cast<double>(k[k.size() - 2]);
    return {(elements(q) + elements(ctx.out[0])) * keys, moved_bytes(ctx)};
}
Cost element_cost(const CostCtx& ctx) { return {elements(ctx.in[0]), moved_bytes(ctx)}; }

constexpr AttrDef scale{"scale", AttrKind::real}, precision{"softmax_precision", AttrKind::integer},
    q_heads{"q_num_heads", AttrKind::integer}, kv_heads{"kv_num_heads", AttrKind::integer};
constexpr std::array attention_attrs{
    AttrDef{"is_causal", AttrKind::integer, "0"},
    kv_heads,
    AttrDef{"left_window_size", AttrKind::integer, "-1"},
    q_heads,
    AttrDef{"qk_matmul_output_mode", AttrKind::integer, "0"},
    AttrDef{"right_window_size", AttrKind::integer, "-1"},
    scale,
    AttrDef{"softcap", AttrKind::real, "0"},
    precision,
};
constexpr std::array flex_attrs{AttrDef{"prob_mod", AttrKind::graph}, scale, AttrDef{"score_mod", AttrKind::graph}, precision};
constexpr std::array linear_attrs{
    AttrDef{"chunk_size", AttrKind::integer, "64"},        AttrDef{"kv_num_heads", AttrKind::integer, {}, true},
    AttrDef{"q_num_heads", AttrKind::integer, {}, true},   AttrDef{"scale", AttrKind::real, "0"},
    AttrDef{"update_rule", AttrKind::text, "gated_delta"},
};
constexpr std::array rotary_attrs{AttrDef{"interleaved", AttrKind::integer, "0"}, AttrDef{"num_heads", AttrKind::integer, "0"},
                                  AttrDef{"rotary_embedding_dim", AttrKind::integer, "0"}};

constexpr std::array attention_table{
    Op{.name = "Attention",
       .in = {3, 7},
       .out = {1, 4},
       .attrs = attention_attrs,
       .types = dtypes::floats,
       .infer = infer_attention,
       .eval = eval_attention,
       .cost = attention_cost,
       .doc = "scaled dot product attention with grouped heads, masks, windows and a cache"},
    Op{.name = "FlexAttention",
       .domain = "ai.onnx.preview",
       .in = {3, 3},
       .attrs = flex_attrs,
       .traits = Trait::control_flow,
       .types = dtypes::floats,
       .infer = infer_flex_attention,
       .eval = eval_flex_attention,
       .cost = attention_cost,
       .doc = "attention whose scores and probabilities pass through bodies"},
    Op{.name = "LinearAttention",
       .in = {3, 6},
       .out = {1, 2},
       .attrs = linear_attrs,
       .types = dtypes::floats,
       .infer = infer_linear_attention,
       .eval = eval_linear_attention,
       .cost = element_cost,
       .doc = "attention by a recurrent state: linear, gated, delta"},
    plain("RotaryEmbedding", {3, 4}, rotary_attrs, dtypes::floats, infer_rotary_embedding, eval_rotary_embedding,
          "rotates pairs of features by the position's angles", element_cost),
};

}  // namespace

std::span<const Op> attention_ops() { return attention_table; }

}  // namespace quern
