// RotaryEmbedding.
#include "libcore/ops/attention/rotary.h"

#include "libcore/ops/attention/attention.h"

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

std::vector<int64_t> rotary_angles(const Rotary& r, const Dims& cosines, const Dims& sines, const Tensor* positions) {
    if (sines != cosines) throw bad_input("caches are {} and {}, need equal dims", to_string(cosines), to_string(sines));
    std::vector<int64_t> angles;
    if (positions) {
        angles = to_ints(*positions);
        if (positions->dims != Dims{r.batch, r.length})
            throw bad_input("input 3 is {}, need [{},{}]", to_string(positions->dims), r.batch, r.length);
        if (cosines.size() != 2 || cosines[1] != r.rotated / 2)
            throw bad_input("cache is {}, need [*,{}]", to_string(cosines), r.rotated / 2);
        for (const int64_t position : angles)
            if (position < 0 || position >= cosines[0]) throw bad_input("position {} is outside of the cache's {}", position, cosines[0]);
        return angles;
    }
    const Dims per_token{r.batch, r.length, r.rotated / 2};
    if (cosines != per_token) throw bad_input("cache is {}, need {}", to_string(cosines), to_string(per_token));
    for (int64_t token = 0; token < r.batch * r.length; ++token) angles.push_back(token);
    return angles;
}

void eval_rotary_embedding(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &cosine = ctx.need(1), &sine = ctx.need(2);
    const Rotary r = rotary_of(data.dims, ctx.integer("num_heads"), ctx.integer("rotary_embedding_dim"), ctx.integer("interleaved") != 0);
    const std::vector<int64_t> angles = rotary_angles(r, cosine.dims, sine.dims, ctx.in(3));
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data), c(cosine), s(sine);
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        const auto angle = [&](int64_t batch, int64_t at) { return angles[static_cast<size_t>(batch * r.length + at)]; };
        rotate(r, x.span().data(), c.span().data(), s.span().data(), angle, y.span().data());
    });
}

}  // namespace quern
