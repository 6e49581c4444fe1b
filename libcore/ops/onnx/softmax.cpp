// Softmax and LogSoftmax along one axis.
#include <algorithm>
#include <cmath>

#include "libcore/ops/shared/norm.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {

void infer_along_axis(InferCtx& ctx) {
    if (ctx.shape(0).ranked && ctx.shape(0).rank() > 0) normal_axis(ctx.integer("axis"), ctx.shape(0).rank());
    infer_same(ctx);
}

namespace {

// Calls fn(in, out, step, length) for every line of input 0 along the node's axis.
template <class Fn>
void each_line(EvalCtx& ctx, const Fn& fn) {
    const Tensor& x = ctx.need(0);
    const Dims dims = x.dims.empty() ? Dims{1} : x.dims;
    const size_t axis = normal_axis(ctx.integer("axis"), dims.size());
    const auto step = static_cast<size_t>(strides_of(dims)[axis]), length = static_cast<size_t>(dims[axis]);
    with_float(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, x.dims);
        if (out.size() == 0) return;
        for (size_t start = 0; start < out.size(); start += step * length)
            for (size_t i = 0; i < step; ++i) fn(in.span().data() + start + i, out.span().data() + start + i, step, length);
    });
}

}  // namespace

void eval_softmax(EvalCtx& ctx) {
    each_line(ctx, [](const auto* x, auto* y, size_t step, size_t length) { softmax_line(x, y, step, length); });
}

void eval_log_softmax(EvalCtx& ctx) {
    each_line(ctx, [](const auto* x, auto* y, size_t step, size_t length) {
        auto max = x[0];
        for (size_t i = 1; i < length; ++i) max = std::max(max, x[i * step]);
        auto sum = max - max;
        for (size_t i = 0; i < length; ++i) sum += portable::exp(x[i * step] - max);
        const auto shift = portable::log(sum);
        for (size_t i = 0; i < length; ++i) y[i * step] = x[i * step] - max - shift;
    });
}

void eval_lp_normalization(EvalCtx& ctx) {
    const int64_t p = ctx.integer("p");
    if (p != 1 && p != 2) throw bad_input("attribute \"p\" is {}, need 1 or 2", p);
    each_line(ctx, [p](const auto* x, auto* y, size_t step, size_t length) {
        auto norm = x[0] - x[0];
        for (size_t i = 0; i < length; ++i) norm += p == 1 ? std::abs(x[i * step]) : x[i * step] * x[i * step];
        if (p == 2) norm = std::sqrt(norm);
        for (size_t i = 0; i < length; ++i) y[i * step] = norm == 0 ? norm : x[i * step] / norm;
    });
}

}  // namespace quern
