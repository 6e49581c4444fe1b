// Attention of ai.onnx, and the rows of the family.
#include "libcore/ops/shared/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "libcore/ops/shared/activation.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// Rank 4 as it is; rank 3 [batch, length, heads * size] needs the attribute.
struct Heads {
    int64_t batch, heads, length, size;
    bool packed;
};

Heads heads_of(const NodeView& node, const Tensor& tensor, std::string_view attribute) {
    const Dims& dims = tensor.dims;
    if (dims.size() == 4) return {dims[0], dims[1], dims[2], dims[3], false};
    if (dims.size() != 3) throw bad_input("input is {}, need rank 3 or 4", to_string(dims));
    const int64_t heads = node.has(attribute) ? node.integer(attribute) : 0;
    if (heads < 1 || dims[2] % heads != 0) throw bad_input("attribute \"{}\" is {}, the input has {} columns", attribute, heads, dims[2]);
    return {dims[0], heads, dims[1], dims[2] / heads, true};
}

template <class T>
std::vector<T> unpacked(const Tensor& tensor, const Heads& h) {
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
        batch = shape.dims[0], heads = Dim::of(count), length = shape.dims[1], size = part_of(shape.dims[2], count);
    }
};

void infer_attention(InferCtx& ctx) {
    for (size_t i = 0; i < 3; ++i)
        if (!ctx.shape(i).ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    const HeadDims q(ctx, ctx.shape(0), "q_num_heads"), k(ctx, ctx.shape(1), "kv_num_heads"), v(ctx, ctx.shape(2), "kv_num_heads");
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

// Which keys a query may see, apart from the mask input.
struct Visible {
    bool causal;
    int64_t left, right;         // -1: no bound
    int64_t past;                // length of past_key
    std::vector<int64_t> valid;  // keys that are no padding, of each batch row; empty: all
    int64_t offset(int64_t b, int64_t q_len) const { return valid.empty() ? past : valid[static_cast<size_t>(b)] - q_len; }
    bool operator()(int64_t b, int64_t position, int64_t j) const {  // position: of the query, in keys
        if (!valid.empty() && j >= valid[static_cast<size_t>(b)]) return false;
        if (causal && j > position) return false;
        return (left < 0 || j >= position - left) && (right < 0 || j <= position + right);
    }
};

Visible visible_of(EvalCtx& ctx, const AttentionShape& s) {
    const auto bound = [&](std::string_view name) { return std::min(ctx.integer(name), s.q_len + s.kv_len); };
    Visible visible{
        ctx.integer("is_causal") != 0, bound("left_window_size"), bound("right_window_size"), ctx.in(4) ? ctx.in(4)->dims.at(2) : 0, {}};
    if (!ctx.in(6)) return visible;
    visible.valid = to_ints(*ctx.in(6));
    if (static_cast<int64_t>(visible.valid.size()) != s.batch)
        throw bad_input("input 6 has {} lengths, need {}", visible.valid.size(), s.batch);
    for (const int64_t length : visible.valid)
        if (length < 0 || length > s.kv_len) throw bad_input("a row has {} keys of {}", length, s.kv_len);
    return visible;
}

template <class T>
void hide(std::span<T> scores, const AttentionShape& s, const Visible& visible) {
    size_t at = 0;
    for (int64_t b = 0; b < s.batch; ++b)
        for (int64_t h = 0; h < s.q_heads; ++h)
            for (int64_t i = 0; i < s.q_len; ++i)
                for (int64_t j = 0; j < s.kv_len; ++j, ++at)
                    if (!visible(b, i + visible.offset(b, s.q_len), j)) scores[at] = minus_infinity<T>;
}

// Adds a mask that broadcasts to the scores; one that is shorter hides the keys behind its end.
template <class T>
void add_mask(std::span<T> scores, const AttentionShape& s, const Tensor& mask) {
    Dims want = s.scores();
    if (mask.dims.size() > 4 || mask.dims.empty()) throw bad_input("mask is {}, need rank 1 to 4", to_string(mask.dims));
    const int64_t columns = mask.dims.back();
    if (columns > s.kv_len) throw bad_input("mask has {} columns, there are {} keys", columns, s.kv_len);
    if (columns != 1) want.back() = columns;
    if (broadcast(mask.dims, want) != want)
        throw bad_input("mask is {}, which does not broadcast to {}", to_string(mask.dims), to_string(want));
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

void check_state(const Tensor* past, const Dims& like, std::string_view what) {
    if (past && (past->dims.size() != 4 || past->dims[0] != like[0] || past->dims[1] != like[1] || past->dims[3] != like[3]))
        throw bad_input("{} is {}, need {} but for the length", what, to_string(past->dims), to_string(like));
}

// Rounds to the type that the softmax is asked to be computed in, where it is narrower.
template <class T>
void round_to(std::span<T> items, std::optional<DType> precision) {
    if (precision != DType::f16 && precision != DType::bf16) return;
    std::vector<float> wide(items.begin(), items.end());
    wide = to_floats(from_floats(*precision, {static_cast<int64_t>(wide.size())}, wide));
    std::copy(wide.begin(), wide.end(), items.begin());
}

AttentionShape shape_of(EvalCtx& ctx, const Heads& q, const Heads& k, const Heads& v) {
    if (k.batch != q.batch || v.batch != q.batch || k.length != v.length || k.heads != v.heads || k.size != q.size || k.heads < 1 ||
        q.heads % k.heads != 0)
        throw bad_input("query is {}, key {} and value {}, which do not fit", to_string(ctx.need(0).dims), to_string(ctx.need(1).dims),
                        to_string(ctx.need(2).dims));
    if ((ctx.in(4) != nullptr) != (ctx.in(5) != nullptr)) throw bad_input("past_key and past_value need each other");
    check_state(ctx.in(4), {k.batch, k.heads, 0, k.size}, "past_key");
    check_state(ctx.in(5), {v.batch, v.heads, 0, v.size}, "past_value");
    const int64_t past = ctx.in(4) ? ctx.in(4)->dims[2] : 0;
    if (past && ctx.in(5)->dims[2] != past) throw bad_input("past_key has {} positions, past_value {}", past, ctx.in(5)->dims[2]);
    return {q.batch, q.heads, k.heads, q.length, past + k.length, q.size, v.size};
}

template <class T>
void attend(EvalCtx& ctx) {
    const Tensor &query = ctx.need(0), &key = ctx.need(1), &value = ctx.need(2);
    const Heads qh = heads_of(ctx, query, "q_num_heads"), kh = heads_of(ctx, key, "kv_num_heads"),
                vh = heads_of(ctx, value, "kv_num_heads");
    const AttentionShape s = shape_of(ctx, qh, kh, vh);
    const int64_t lines = s.batch * s.kv_heads, mode = ctx.integer("qk_matmul_output_mode");
    const std::vector<T> q = unpacked<T>(query, qh);
    const std::vector<T> k = join_past<T>(ctx.in(4), unpacked<T>(key, kh), lines, kh.length, s.size);
    const std::vector<T> v = join_past<T>(ctx.in(5), unpacked<T>(value, vh), lines, vh.length, s.v_size);
    give_numbers<T>(ctx, 1, key.dtype, {s.batch, s.kv_heads, s.kv_len, s.size}, k);
    give_numbers<T>(ctx, 2, value.dtype, {s.batch, s.kv_heads, s.kv_len, s.v_size}, v);

    const double scale = ctx.has("scale") ? ctx.real("scale") : 1 / std::sqrt(static_cast<double>(s.size));
    std::vector<T> scores = attention_scores(s, q.data(), k.data(), scale);
    const auto stage = [&](int64_t number) {
        if (mode == number) give_numbers<T>(ctx, 3, query.dtype, s.scores(), scores);
    };
    stage(0);
    if (const T cap = static_cast<T>(ctx.real("softcap")); cap > 0)
        for (T& item : scores) item = act::soft_cap(item, cap);
    stage(1);
    if (ctx.in(3)) add_mask<T>(scores, s, *ctx.in(3));
    hide<T>(scores, s, visible_of(ctx, s));
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

constexpr std::array rows{
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

std::span<const Op> attention_ops() { return rows; }

}  // namespace quern
