// LinearAttention: a state [key size, value size] of each head is updated token by token and read by the queries.
#include <cmath>

#include "libcore/ops/attention/attention.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

struct Linear {
    int64_t batch, length, q_heads, kv_heads, k_size, v_size;
    bool gated, delta;
    int64_t decay_size;  // numbers per head: 1 or k_size
    int64_t beta_heads;  // 1 or kv_heads
    double scale;
    Dims state() const { return {batch, kv_heads, k_size, v_size}; }
};

Linear linear_of(EvalCtx& ctx) {
    const Dims &q = ctx.need(0).dims, &k = ctx.need(1).dims, &v = ctx.need(2).dims;
    const int64_t q_heads = ctx.integer("q_num_heads"), kv_heads = ctx.integer("kv_num_heads");
    const std::string rule = ctx.text("update_rule");
    if (rule != "linear" && rule != "gated" && rule != "delta" && rule != "gated_delta")
        throw bad_input("attribute \"update_rule\" is \"{}\"", rule);
    if (kv_heads < 1 || q_heads < 1 || q_heads % kv_heads != 0)
        throw bad_input("{} query heads do not share {} key heads", q_heads, kv_heads);
    if (q.size() != 3 || k.size() != 3 || v.size() != 3 || q[2] % q_heads != 0 || k[2] % kv_heads != 0 || v[2] % kv_heads != 0 ||
        q[2] / q_heads != k[2] / kv_heads || k[0] != q[0] || v[0] != q[0] || k[1] != q[1] || v[1] != q[1])
        throw bad_input("query is {}, key {} and value {}, which do not fit", to_string(q), to_string(k), to_string(v));
    Linear l{q[0], q[1], q_heads,          kv_heads, k[2] / kv_heads, v[2] / kv_heads, rule.starts_with("gated"), rule.ends_with("delta"),
             1,    1,    ctx.real("scale")};
    if (l.scale == 0) l.scale = 1 / std::sqrt(static_cast<double>(l.k_size));
    const auto check = [&](size_t i, std::string_view what, Dims small, Dims large) {
        const Dims& dims = ctx.need(i).dims;
        if (dims != small && dims != large)
            throw bad_input("{} is {}, need {} or {}", what, to_string(dims), to_string(small), to_string(large));
        return dims == large;
    };
    if (l.gated && check(4, "decay", {q[0], q[1], kv_heads}, {q[0], q[1], kv_heads * l.k_size})) l.decay_size = l.k_size;
    if (l.delta && check(5, "beta", {q[0], q[1], 1}, {q[0], q[1], kv_heads})) l.beta_heads = kv_heads;
    if (ctx.in(3) && ctx.in(3)->dims != l.state())
        throw bad_input("past state is {}, need {}", to_string(ctx.in(3)->dims), to_string(l.state()));
    return l;
}

// S = gate * S + beta * k (v - S^T k), or without delta S = gate * S + k v.
template <class T>
void update(const Linear& l, T* state, const T* k, const T* v, const T* decay, T beta, std::vector<T>& fresh) {
    if (decay)
        for (int64_t i = 0; i < l.k_size; ++i) {
            const T gate = portable::exp(decay[l.decay_size == 1 ? 0 : i]);
            for (int64_t j = 0; j < l.v_size; ++j) state[i * l.v_size + j] *= gate;
        }
    fresh.assign(v, v + l.v_size);
    if (l.delta) {
        std::vector<T> seen(static_cast<size_t>(l.v_size), T{0});
        add_product(seen.data(), k, state, 1, l.k_size, l.v_size);
        for (size_t j = 0; j < seen.size(); ++j) fresh[j] = beta * (fresh[j] - seen[j]);
    }
    add_product(state, k, fresh.data(), l.k_size, 1, l.v_size);
}

template <class T>
void attend(EvalCtx& ctx, const Linear& l) {
    const DType dtype = ctx.need(0).dtype;
    const Numbers<T> q(ctx.need(0)), k(ctx.need(1)), v(ctx.need(2));
    std::vector<T> state(static_cast<size_t>(count_of(l.state())), T{0}), decay, beta, fresh;
    const auto load = [&](size_t i, std::vector<T>& to) {
        const Numbers<T> items(ctx.need(i));
        to.assign(items.span().begin(), items.span().end());
    };
    if (ctx.in(3)) load(3, state);
    if (l.gated) load(4, decay);
    if (l.delta) load(5, beta);
    const int64_t shared = l.q_heads / l.kv_heads;
    const Dims dims{l.batch, l.length, l.q_heads * l.v_size};
    std::vector<T> y(static_cast<size_t>(count_of(dims)), T{0});
    for (int64_t b = 0; b < l.batch; ++b)
        for (int64_t t = 0; t < l.length; ++t)
            for (int64_t h = 0; h < l.kv_heads; ++h) {
                const int64_t token = b * l.length + t, head = token * l.kv_heads + h;
                T* s = state.data() + (b * l.kv_heads + h) * l.k_size * l.v_size;
                update(l, s, k.span().data() + head * l.k_size, v.span().data() + head * l.v_size,
                       l.gated ? decay.data() + head * l.decay_size : nullptr,
                       l.delta ? beta[static_cast<size_t>(token * l.beta_heads + (l.beta_heads == 1 ? 0 : h))] : T{1}, fresh);
                const int64_t first = token * l.q_heads + h * shared;
                add_product(y.data() + first * l.v_size, q.span().data() + first * l.k_size, s, shared, l.k_size, l.v_size);
            }
    for (T& item : y) item *= static_cast<T>(l.scale);
    give_numbers<T>(ctx, 0, dtype, dims, y);
    give_numbers<T>(ctx, 1, ctx.in(3) ? ctx.in(3)->dtype : dtype, l.state(), state);
}

}  // namespace

void infer_linear_attention(InferCtx& ctx) {
    const Shape &q = ctx.shape(0), &k = ctx.shape(1), &v = ctx.shape(2);
    const int64_t q_heads = ctx.integer("q_num_heads"), kv_heads = ctx.integer("kv_num_heads");
    if (kv_heads < 1 || q_heads < 1) throw bad_input("{} query heads and {} key heads, need at least 1", q_heads, kv_heads);
    const auto size = [&](const Shape& shape) {
        return shape.rank() == 3 && shape.dims[2].known() ? Dim::of(shape.dims[2].value / kv_heads) : Dim();
    };
    const Dim batch = q.rank() == 3 ? q.dims[0] : Dim(), length = q.rank() == 3 ? q.dims[1] : Dim(), v_size = size(v);
    ctx.set(0, Type::tensor(ctx.dtype(0),
                            Shape::of_dims({batch, length, v_size.known() ? Dim::of(count_of(Dims{v_size.value, q_heads})) : Dim()})));
    ctx.set(1, Type::tensor(ctx.has_in(3) ? ctx.dtype(3) : ctx.dtype(0), Shape::of_dims({batch, Dim::of(kv_heads), size(k), v_size})));
}

void eval_linear_attention(EvalCtx& ctx) {
    const Linear linear = linear_of(ctx);
    with_float(ctx.need(0).dtype, [&](auto zero) { attend<decltype(zero)>(ctx, linear); });
}

}  // namespace quern
