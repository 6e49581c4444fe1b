// ConvTranspose.
#include <algorithm>

#include "libcore/ops/shared/conv.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

constexpr int64_t length_limit = int64_t{1} << 31;

void check_channels(const NodeView& node, const Shape& data, const Shape& filter) {
    if (data.rank() < 3 || data.rank() != filter.rank())
        throw bad_input("data is {} and filter {}, need equal ranks of at least 3", to_string(data), to_string(filter));
    const Dim &given = data.dims[1], &taken = filter.dims[0];
    if (given.known() && taken.known() && given != taken)
        throw bad_input("data has {} channels, filter takes {}", given.value, taken.value);
    const int64_t group = node.integer("group");
    if (group < 1 || (taken.known() && taken.value % group != 0))
        throw bad_input("{} channels do not divide into {} groups", to_string(taken), group);
}

// The padding that makes the output `want` long, of `full` without padding. The spare element goes to the end only for SAME_UPPER.
void pad_for(Window& window, size_t i, int64_t full, int64_t want, bool upper) {
    const int64_t total = std::max<int64_t>(0, full - want);
    window.before[i] = upper ? total / 2 : total - total / 2;
    window.after[i] = total - window.before[i];
}

Dims kernel_of(const Shape& filter) {
    Dims kernel;
    for (size_t i = 2; i < filter.rank() && filter.dims[i].known(); ++i) kernel.push_back(filter.dims[i].value);
    for (const int64_t length : kernel)
        if (length < 1 || length >= length_limit) throw bad_input("filter is {}, need positive lengths", to_string(filter));
    return kernel;
}

}  // namespace

Spread spread_of(const NodeView& node, std::span<const Dim> space, const Dims& kernel) {
    const size_t rank = kernel.size();
    const Dims pads = window_numbers(node, "pads", 2 * rank, 0, 0), extra = window_numbers(node, "output_padding", rank, 0, 0);
    const auto middle = pads.begin() + static_cast<int64_t>(rank);
    Spread spread{{kernel, window_numbers(node, "strides", rank, 1, 1), window_numbers(node, "dilations", rank, 1, 1),
                   Dims(pads.begin(), middle), Dims(middle, pads.end())},
                  std::vector<Dim>(rank)};
    Window& window = spread.window;
    const std::string auto_pad = node.text("auto_pad");
    const bool upper = auto_pad == "SAME_UPPER", same = upper || auto_pad == "SAME_LOWER";
    if (!same && !auto_pad.empty() && auto_pad != "NOTSET" && auto_pad != "VALID")
        throw bad_input("attribute \"auto_pad\" is \"{}\"", auto_pad);
    if (auto_pad == "VALID") window.before.assign(rank, 0), window.after.assign(rank, 0);
    Dims wanted = node.integers("output_shape");
    if (wanted.size() == rank + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);  // older exporters state batch and channels, too
    if (!wanted.empty()) wanted = wanted.size() == rank ? wanted : window_numbers(node, "output_shape", rank, 1, 1);
    for (size_t i = 0; i < rank; ++i) {
        if (!wanted.empty()) spread.out[i] = Dim::of(wanted[i]);
        if (!space[i].known()) continue;
        if (space[i].value < 1 || space[i].value >= length_limit)
            throw bad_input("spatial length is {}, need 1 or more and less than {}", space[i].value, length_limit);
        const int64_t full = window.stride[i] * (space[i].value - 1) + extra[i] + (window.kernel[i] - 1) * window.dilation[i] + 1;
        if (!wanted.empty() || same) {
            const int64_t want = wanted.empty() ? space[i].value * window.stride[i] : wanted[i];
            pad_for(window, i, full, want, upper);
            spread.out[i] = Dim::of(want);
        } else {
            spread.out[i] = Dim::of(full - window.before[i] - window.after[i]);
        }
        if (spread.out[i].value < 1) throw bad_input("output length along spatial dim {} would be {}", i, spread.out[i].value);
    }
    return spread;
}

void infer_conv_transpose(InferCtx& ctx) {
    const bool last = channels_last(ctx);
    const Shape data = last ? to_channels_first(ctx.shape(0)) : ctx.shape(0),
                filter = last ? to_channels_first(ctx.shape(1)) : ctx.shape(1);
    if (!data.ranked || !filter.ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    check_channels(ctx, data, filter);
    Shape out = Shape::of_rank(data.rank());
    out.dims[0] = data.dims[0];
    if (filter.dims[1].known()) out.dims[1] = Dim::of(count_of(Dims{filter.dims[1].value, ctx.integer("group")}));
    const Dims kernel = kernel_of(filter);
    if (kernel.size() == data.rank() - 2) {
        const Spread spread = spread_of(ctx, std::span(data.dims).subspan(2), kernel);
        std::copy(spread.out.begin(), spread.out.end(), out.dims.begin() + 2);
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), last ? to_channels_last(out) : std::move(out)));
}

void eval_conv_transpose(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &filter = ctx.need(1);
    const bool last = channels_last(ctx);
    const Dims x_dims = spatial_dims(data, last), w_dims = spatial_dims(filter, last);
    const Shape data_shape = Shape::of(x_dims), filter_shape = Shape::of(w_dims);
    check_channels(ctx, data_shape, filter_shape);
    const Spread spread = spread_of(ctx, std::span(data_shape.dims).subspan(2), kernel_of(filter_shape));
    const int64_t group = ctx.integer("group");
    Dims dims{x_dims[0], w_dims[1] * group};
    for (const Dim& length : spread.out) dims.push_back(length.value);
    const Tensor* bias = ctx.in(2);
    if (bias && bias->count() != dims[1]) throw bad_input("bias has {} numbers, need {}", bias->count(), dims[1]);
    const Taps taps(spread.window, space_of(x_dims), space_of(dims));
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const SpatialIn<T> x(data, last), w(filter, last);
        SpatialOut<T> y(ctx, 0, data.dtype, dims, last);
        std::fill(y.span().begin(), y.span().end(), T{0});
        if (bias) fill_channels<T>(y.span(), dims, Numbers<T>(*bias).span());
        add_conv_transposed<T>({x_dims, w_dims, dims, group}, taps, x.data(), w.data(), y.data());
    });
}

}  // namespace quern
