// CausalConvWithState: a depthwise convolution along time over the state's last positions and the input.
#include "libcore/ops/shared/activation.h"
#include "libcore/ops/shared/conv.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

bool wants_silu(const NodeView& node) {
    const std::string name = node.text("activation");
    if (name == "silu" || name == "swish") return true;
    if (name == "none" || name.empty()) return false;
    throw bad_input("attribute \"activation\" is \"{}\", need silu, swish or none", name);
}

// State and input one after the other: [batch * channels, state + length].
template <class T>
std::vector<T> joined(const Tensor* past, std::span<const T> x, int64_t lines, int64_t state, int64_t length) {
    std::vector<T> all(static_cast<size_t>(count_of(Dims{lines, state + length})), T{0});
    for (int64_t i = 0; i < lines; ++i) std::copy_n(x.data() + i * length, length, all.data() + i * (state + length) + state);
    if (!past) return all;
    const Numbers<T> before(*past);
    for (int64_t i = 0; i < lines; ++i) std::copy_n(before.span().data() + i * state, state, all.data() + i * (state + length));
    return all;
}

}  // namespace

void infer_causal_conv(InferCtx& ctx) {
    const Shape &data = ctx.shape(0), &filter = ctx.shape(1);
    wants_silu(ctx);
    ctx.set(0, ctx.in(0));
    if (!data.ranked || !filter.ranked) return ctx.set(1, Type::tensor(ctx.dtype(0)));
    if (data.rank() != 3 || filter.rank() != 3)
        throw bad_input("data is {} and filter {}, need rank 3", to_string(data), to_string(filter));
    if (data.dims[1].known() && filter.dims[0].known() && data.dims[1] != filter.dims[0])
        throw bad_input("data is {} and filter {}, need [N,C,L] and [C,1,K]", to_string(data), to_string(filter));
    const Dim& taps = filter.dims[2];
    const Dim state = taps.known() && taps.value > 0 ? Dim::of(taps.value - 1) : Dim::unknown();
    ctx.set(1, Type::tensor(ctx.dtype(0), Shape::of_dims({data.dims[0], data.dims[1], state})));
}

void eval_causal_conv(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &filter = ctx.need(1);
    const Tensor *bias = ctx.in(2), *past = ctx.in(3);
    if (data.dims.size() != 3 || filter.dims.size() != 3 || filter.dims[0] != data.dims[1] || filter.dims[1] != 1 || filter.dims[2] < 1)
        throw bad_input("data is {} and filter {}, need [N,C,L] and [C,1,K]", to_string(data.dims), to_string(filter.dims));
    const int64_t channels = data.dims[1], length = data.dims[2], taps = filter.dims[2], state = taps - 1;
    const Dims state_dims{data.dims[0], channels, state};
    if (bias && bias->count() != channels) throw bad_input("bias has {} numbers, need {}", bias->count(), channels);
    if (past && past->dims != state_dims) throw bad_input("past state is {}, need {}", to_string(past->dims), to_string(state_dims));
    const bool silu = wants_silu(ctx);
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data), w(filter);
        const int64_t lines = count_of(Dims{data.dims[0], channels});
        const std::vector<T> all = joined<T>(past, x.span(), lines, state, length);
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        std::fill(y.span().begin(), y.span().end(), T{0});
        if (bias) fill_channels<T>(y.span(), data.dims, Numbers<T>(*bias).span());
        for (int64_t i = 0; i < lines; ++i)
            for (int64_t k = 0; k < taps; ++k) {
                const T factor = w[static_cast<size_t>(i % channels * taps + k)];
                const T* from = all.data() + i * (state + length) + k;
                T* to = y.span().data() + i * length;
                for (int64_t t = 0; t < length; ++t) to[t] += factor * from[t];
            }
        if (silu)
            for (T& item : y.span()) item = act::swish(item, T{1});
        if (!ctx.wants(1)) return;
        NumbersOut<T> present(ctx, 1, data.dtype, state_dims);
        for (int64_t i = 0; i < lines; ++i)
            std::copy_n(all.data() + i * (state + length) + length, state, present.span().data() + i * state);
    });
}

}  // namespace quern
