// RotaryEmbedding.
#include "libcore/ops/shared/rotary.h"

#include "libcore/ops/shared/attention.h"

namespace quern {

Rotary rotary_of(const Dims& dims, int64_t heads, int64_t rotated, bool interleaved) {
    Rotary r{};
    if (dims.size() == 4) {
        r = {dims[0], dims[1], dims[2], dims[3], rotated, false, interleaved};
    } else if (dims.size() == 3 && heads > 0 && dims[2] % heads == 0) {
        r = {dims[0], heads, dims[1], dims[2] / heads, rotated, true, interleaved};
    } else {
        throw bad_input("input 0 is {} with {} heads, need rank 4, or rank 3 and a divisor of the last dim", to_string(dims), heads);
    }
    if (r.rotated == 0) r.rotated = r.size;
    if (r.rotated < 0 || r.rotated % 2 != 0 || r.rotated > r.size)
        throw bad_input("{} of {} features cannot be rotated", r.rotated, r.size);
    return r;
}

void infer_rotary_embedding(InferCtx& ctx) { infer_same(ctx); }

void eval_rotary_embedding(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &cosine = ctx.need(1), &sine = ctx.need(2);
    const Rotary r = rotary_of(data.dims, ctx.integer("num_heads"), ctx.integer("rotary_embedding_dim"), ctx.integer("interleaved") != 0);
    std::vector<int64_t> positions;
    const Dims per_token{r.batch, r.length, r.rotated / 2};
    if (ctx.in(3)) {
        positions = to_ints(*ctx.in(3));
        if (ctx.in(3)->dims != Dims{r.batch, r.length})
            throw bad_input("input 3 is {}, need [{},{}]", to_string(ctx.in(3)->dims), r.batch, r.length);
        if (cosine.dims.size() != 2 || cosine.dims[1] != r.rotated / 2)
            throw bad_input("cache is {}, need [*,{}]", to_string(cosine.dims), r.rotated / 2);
        for (const int64_t position : positions)
            if (position < 0 || position >= cosine.dims[0])
                throw bad_input("position {} is outside of the cache's {}", position, cosine.dims[0]);
    } else if (cosine.dims != per_token) {
        throw bad_input("cache is {}, need {}", to_string(cosine.dims), to_string(per_token));
    }
    if (sine.dims != cosine.dims) throw bad_input("caches are {} and {}", to_string(cosine.dims), to_string(sine.dims));
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data), c(cosine), s(sine);
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        const auto angle = [&](int64_t batch, int64_t at) {
            const int64_t token = batch * r.length + at;
            return positions.empty() ? token : positions[static_cast<size_t>(token)];
        };
        rotate(r, x.span().data(), c.span().data(), s.span().data(), angle, y.span().data());
    });
}

}  // namespace quern
