// Conv and the rows of its family.
#include <array>

#include "libcore/ops/shared/conv.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/window.h"

namespace quern {

void infer_conv(InferCtx& ctx) {
    if (!channels_last(ctx)) return ctx.set(0, conv_type(ctx, ctx.dtype(0), ctx.shape(0), ctx.shape(1)));
    Type type = conv_type(ctx, ctx.dtype(0), to_channels_first(ctx.shape(0)), to_channels_first(ctx.shape(1)));
    type.shape = to_channels_last(type.shape);
    ctx.set(0, std::move(type));
}

namespace {

// finish(y, dims) is done to the sums before they are stored.
template <class Finish>
void convolve(EvalCtx& ctx, const Finish& finish) {
    const Tensor &data = ctx.need(0), &filter = ctx.need(1);
    const bool last = channels_last(ctx);
    const Dims x_dims = spatial_dims(data, last), w_dims = spatial_dims(filter, last);
    const Type type = conv_type(ctx, data.dtype, Shape::of(x_dims), Shape::of(w_dims));
    const Dims y_dims = *type.shape.concrete();
    const Tensor* bias = ctx.in(2);
    if (bias && bias->count() != y_dims[1]) throw bad_input("bias has {} numbers, need {}", bias->count(), y_dims[1]);
    const Shape space = Shape::of(space_of(x_dims));
    const Taps taps(window_of(ctx, space.dims, space_of(w_dims)), space_of(y_dims), space_of(x_dims));
    const int64_t group = ctx.integer("group");
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const SpatialIn<T> x(data, last), w(filter, last);
        SpatialOut<T> y(ctx, 0, data.dtype, y_dims, last);
        std::fill(y.span().begin(), y.span().end(), T{0});
        if (bias) fill_channels<T>(y.span(), y_dims, Numbers<T>(*bias).span());
        add_conv<T>({x_dims, w_dims, y_dims, group}, taps, x.data(), w.data(), y.data());
        finish(y.span(), y_dims);
    });
}

void eval_conv(EvalCtx& ctx) {
    convolve(ctx, [](const auto&, const Dims&) {});
}

}  // namespace

void eval_conv_finished(EvalCtx& ctx, const Finish& finish) {
    convolve(ctx, [&](const auto& y, const Dims& dims) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(y)>, std::span<float>>)
            finish(y, dims);
        else
            throw unsupported("float64 data");
    });
}

// Multiply-accumulates of one output element: a filter's numbers.
Cost conv_cost(const CostCtx& ctx) {
    const Dims& out = ctx.out[0];
    const double filters =
        static_cast<double>(std::max<int64_t>(1, out.size() > 1 ? out[channels_last(NodeView(ctx.node)) ? out.size() - 1 : 1] : 1));
    return {elements(out) * elements(ctx.in[1]) / filters, moved_bytes(ctx)};
}

namespace {

Cost conv_transpose_cost(const CostCtx& ctx) {
    const double channels = static_cast<double>(std::max<int64_t>(1, ctx.in[1].at(0)));
    return {elements(ctx.in[0]) * elements(ctx.in[1]) / channels, moved_bytes(ctx)};
}

using namespace window_attrs;
constexpr std::array conv_attrs{auto_pad, dilations, group, kernel_as_filter, pads, strides, layout_attr};
constexpr std::array transpose_attrs{auto_pad,
                                     dilations,
                                     group,
                                     kernel_as_filter,
                                     AttrDef{"output_padding", AttrKind::integers},
                                     AttrDef{"output_shape", AttrKind::integers},
                                     pads,
                                     strides,
                                     layout_attr};
constexpr std::array deform_attrs{dilations, group, kernel_as_filter, AttrDef{"offset_group", AttrKind::integer, "1"}, pads, strides};
constexpr std::array causal_attrs{AttrDef{"activation", AttrKind::text, "none"}};

constexpr QuantRule filtered = rules::filtered.with(rules::friendly).with_runtimes({.channels = true}, {.weight_only = true});
constexpr QuantRule spread =
    QuantRule{.kind = rules::Kind::own, .weight = 1, .weight_axis = 1, .bias = 2}.with(rules::friendly).with_runtimes({.channels = true});

constexpr std::array conv_table{
    Op{.name = "Conv",
       .in = {2, 3},
       .attrs = conv_attrs,
       .types = dtypes::floats,
       .infer = infer_conv,
       .eval = eval_conv,
       .quant = filtered,
       .layout = Layout::spatial,
       .cost = conv_cost,
       .doc = "convolution with groups, strides and dilations"},
    Op{.name = "ConvTranspose",
       .in = {2, 3},
       .attrs = transpose_attrs,
       .types = dtypes::floats,
       .infer = infer_conv_transpose,
       .eval = eval_conv_transpose,
       .quant = spread,
       .layout = Layout::spatial,
       .cost = conv_transpose_cost,
       .doc = "transposed convolution"},
    plain("DeformConv", {3, 5}, deform_attrs, dtypes::floats, infer_deform_conv, eval_deform_conv,
          "convolution at learned offsets, bilinearly sampled", conv_cost),
    Op{.name = "CausalConvWithState",
       .in = {2, 4},
       .out = {1, 2},
       .attrs = causal_attrs,
       .types = dtypes::floats,
       .infer = infer_causal_conv,
       .eval = eval_causal_conv,
       .cost = conv_cost,
       .doc = "depthwise convolution along time that carries its last inputs as state"},
};

}  // namespace

std::span<const Op> conv_ops() { return conv_table; }

}  // namespace quern
