// FlexAttention: scores and probabilities may be changed by bodies, which get them whole.
#include <cmath>

#include "libcore/ops/attention/attention.h"

namespace quern {
namespace {

// The type that the bodies work in.
DType score_type(const NodeView& node, DType data) {
    if (!node.has("softmax_precision")) return data == DType::f64 ? DType::f64 : DType::f32;
    const auto dtype = dtype_of_onnx(static_cast<int>(node.integer("softmax_precision")));
    if (!dtype || !is_float(*dtype))
        throw bad_input("attribute \"softmax_precision\" is {}, need a float type", node.integer("softmax_precision"));
    return *dtype;
}

template <class T>
Tensor stored(DType dtype, const Dims& dims, std::span<const T> items) {
    if constexpr (std::is_same_v<T, double>) return from_doubles(dtype, dims, items);
    if constexpr (std::is_same_v<T, float>) return from_floats(dtype, dims, items);
}

// Passes the scores through the body of that name, if there is one.
template <class T>
void modify(EvalCtx& ctx, std::string_view name, DType dtype, const Dims& dims, std::vector<T>& scores) {
    const auto& names = ctx.node().body_names;
    for (size_t b = 0; b < names.size(); ++b) {
        if (names[b] != name) continue;
        const Tensor in = stored<T>(dtype, dims, scores);
        const std::vector<Tensor> out = ctx.run_body(b, std::span(&in, 1));
        if (out.size() != 1 || out[0].dims != dims) throw bad_input("body \"{}\" does not keep the shape {}", name, to_string(dims));
        const Numbers<T> items(out[0]);
        scores.assign(items.span().begin(), items.span().end());
    }
}

template <class T>
void attend(EvalCtx& ctx, DType dtype) {
    const Tensor &query = ctx.need(0), &key = ctx.need(1), &value = ctx.need(2);
    const Dims &qd = query.dims, &kd = key.dims, &vd = value.dims;
    if (qd.size() != 4 || kd.size() != 4 || vd.size() != 4 || kd[0] != qd[0] || vd[0] != qd[0] || kd[1] != vd[1] || kd[2] != vd[2] ||
        kd[3] != qd[3] || kd[1] < 1 || qd[1] % kd[1] != 0)
        throw bad_input("query is {}, key {} and value {}, which do not fit", to_string(qd), to_string(kd), to_string(vd));
    const AttentionShape s{qd[0], qd[1], kd[1], qd[2], kd[2], qd[3], vd[3]};
    const Numbers<T> q(query), k(key), v(value);
    const double scale = ctx.has("scale") ? ctx.real("scale") : 1 / std::sqrt(static_cast<double>(s.size));
    std::vector<T> scores = attention_scores(s, q.span().data(), k.span().data(), scale);
    modify<T>(ctx, "score_mod", dtype, s.scores(), scores);
    softmax_lines<T>(scores, s.kv_len);
    modify<T>(ctx, "prob_mod", dtype, s.scores(), scores);
    const Dims dims{s.batch, s.q_heads, s.q_len, s.v_size};
    std::vector<T> y(static_cast<size_t>(count_of(dims)), T{0});
    attention_values(s, scores.data(), v.span().data(), y.data());
    give_numbers<T>(ctx, 0, query.dtype, dims, y);
}

}  // namespace

void infer_flex_attention(InferCtx& ctx) {
    Shape out = Shape::of_rank(4), scores = Shape::of_rank(4);
    if (ctx.shape(0).rank() == 4)
        for (size_t i = 0; i < 3; ++i) out.dims[i] = scores.dims[i] = ctx.shape(0).dims[i];
    if (ctx.shape(1).rank() == 4) scores.dims[3] = ctx.shape(1).dims[2];
    if (ctx.shape(2).rank() == 4) out.dims[3] = ctx.shape(2).dims[3];
    const Type type = Type::tensor(score_type(ctx, ctx.dtype(0)), scores);
    for (size_t b = 0; b < ctx.node().bodies.size(); ++b) ctx.infer_body(b, std::span(&type, 1));
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_flex_attention(EvalCtx& ctx) {
    const DType dtype = score_type(ctx, ctx.need(0).dtype);
    with_float(dtype == DType::f64 ? dtype : ctx.need(0).dtype, [&](auto zero) { attend<decltype(zero)>(ctx, dtype); });
}

}  // namespace quern
