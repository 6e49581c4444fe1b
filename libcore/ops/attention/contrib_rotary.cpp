// com.microsoft.RotaryEmbedding: position ids come before the caches, one start or one a token.
#include "libcore/ops/attention/rotary.h"
#include "libcore/ops/microsoft/contrib.h"

namespace quern {

void eval_contrib_rotary(EvalCtx& ctx) {
    if (ctx.integer("is_packed_batching")) throw unsupported("is_packed_batching");
    const Tensor &data = ctx.need(0), &cosine = ctx.need(2), &sine = ctx.need(3);
    if (cosine.dims.size() != 2 || sine.dims != cosine.dims)
        throw bad_input("caches are {} and {}, need equal dims of rank 2", to_string(cosine.dims), to_string(sine.dims));
    int64_t heads = ctx.integer("num_heads");
    const int64_t rotated = 2 * cosine.dims[1];
    if (heads == 0 && data.dims.size() == 3 && rotated > 0) heads = data.dims[2] / rotated;
    const Rotary r = rotary_of(data.dims, heads, rotated, ctx.integer("interleaved") != 0);
    const auto ids = to_ints(ctx.need(1));
    const bool one_start = ids.size() == 1;
    if (!one_start && ctx.need(1).dims != Dims{r.batch, r.length})
        throw bad_input("input 1 is {}, need [1] or [{},{}]", to_string(ctx.need(1).dims), r.batch, r.length);
    for (const int64_t id : ids)
        if (id < 0 || id >= cosine.dims[0]) throw bad_input("position {} is outside of the cache's {}", id, cosine.dims[0]);
    const auto angle = [&](int64_t b, int64_t s) { return one_start ? ids[0] + s : ids[static_cast<size_t>(b * r.length + s)]; };
    for (int64_t b = 0; b < r.batch; ++b)
        for (int64_t s = 0; s < r.length; ++s)
            if (angle(b, s) < 0 || angle(b, s) >= cosine.dims[0])
                throw bad_input("position {} is outside of the cache's {}", angle(b, s), cosine.dims[0]);
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data), c(cosine), s(sine);
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        rotate(r, x.span().data(), c.span().data(), s.span().data(), angle, y.span().data());
    });
}

}  // namespace quern
