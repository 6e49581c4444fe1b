// Conv and ConvTranspose: on codes by the profiles onnx and tflite, between real numbers with rounded activations (hybrid), and on real
// numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/codegen/c/dots.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"
#include "libcore/ops/shared/window.h"

namespace quern::cgen {
namespace {

struct ConvCase {
    bool last, transposed;
    Spatial x, y;
    Dims w_dims;
    int64_t groups;
    Product product;
    Words words() const {  // where taps and filters are
        return {{"SOURCE", transposed ? "conv_transpose_source" : "conv_source"},
                {"FILTER_AT", transposed ? "g * s->in_channels * s->w_c + m * s->w_m" : "channel * s->w_m"}};
    }
};

ConvCase conv_case(Emit& e, size_t filter = 1) {
    ConvCase c{};
    c.transposed = e.node.is(ops::ConvTranspose);
    c.last = channels_last(e.view);
    c.x = Spatial(e.in_dims(0), c.last);
    c.y = Spatial(e.out_dims(), c.last);
    c.w_dims = e.in_dims(filter);
    c.groups = e.view.integer("group");
    const int64_t taps = count_of(c.w_dims) / std::max<int64_t>(c.w_dims[0], 1);
    c.product = {2, static_cast<size_t>(c.y.channels), c.transposed ? count_of(c.w_dims) : taps};
    return c;
}

void call_conv(Emit& e, const ConvCase& c, std::string_view piece, Finish finish, const std::string& x, std::string_view x_type,
               const std::string& w, std::string_view w_type, const std::string& y, const std::string& shape) {
    Words words = c.words();
    e.source.kernel(words[0].second);
    if (c.transposed) finish.variant = "transposed" + (finish.variant.empty() ? "" : "_" + finish.variant);
    call_product(e, piece, finish, x, x_type, w, w_type, y, shape, words);
}

conv_t sizes_of(Emit& e, const ConvCase& c) {
    const Spatial filter(c.w_dims, c.last);
    conv_t sizes = conv_sizes(c.x, c.y, window_in_2d(e.view, c.x, filter.space(), c.transposed ? &c.y : nullptr), c.groups);
    set_filter(sizes, filter, c.transposed);
    return sizes;
}

std::string conv_shape(Emit& e, const ConvCase& c) { return e.source.parameters("conv_t", sizes_of(e, c), e.label("shape")); }

void emit_conv_codes(Emit& e, bool tflite) {
    const ConvCase c = conv_case(e);
    const auto scaling = tflite ? std::optional(tflite_scaling(e.node.op->name, *e.in_encoding(0), *e.in_encoding(1))) : std::nullopt;
    if (!c.transposed && emit_dots(e, sizes_of(e, c), c.product, scaling)) return;
    const Weights w = weight_codes(e, 1);
    const bool dynamic = !tflite && has_dynamic_operand(e);
    const Finish finish = tflite    ? tflite_finish(e, c.product, w.zero, *scaling)
                          : dynamic ? dynamic_finish(e, c.product, w.zero)
                                    : onnx_finish(e, c.product, w.zero);
    call_conv(e, c, "conv", finish, e.in(0), e.in_type(0), w.at, w.type, tflite || (!dynamic && e.out_encoding()) ? e.out() : e.real_out(),
              conv_shape(e, c));
}

// As libcore/ops/integer/tflite_hybrid.cpp: with a zero point of their own where filters have several scales or groups.
Rounding conv_rounding(Emit& e, const ConvCase& c) {
    const auto scales = to_floats(e.in_encoding(1)->scale);
    const bool one = std::ranges::all_of(scales, [&](float scale) { return scale == scales[0]; });
    const bool symmetric = !c.transposed && c.groups == 1 && one;
    return {symmetric, !symmetric && (c.transposed || c.x.channels != c.groups)};
}

void emit_hybrid_conv(Emit& e) {
    const ConvCase c = conv_case(e);
    const Rounding rounding = conv_rounding(e, c);
    const std::string bias = real_bias(e, 2, c.product.channels), codes = e.f.scratch(rounding.storage(), e.in_count(0));
    ConvCase one = c;
    one.x.batch = one.y.batch = 1;
    const std::string shape = conv_shape(e, one), round = e.source.kernel(rounding.kernel());
    for (int64_t n = 0; n < c.x.batch; ++n) {
        const std::string scale = fmt::format("{}({} + {}, {}, {})", round, e.in(0), n * c.x.image_step, codes, c.x.image_step);
        e.f.statement("{");
        e.f.statement(fmt::format("    const float scale = {};", scale));
        call_conv(e, c, "conv", hybrid_finish(e, bias, rounding), codes, c_type(rounding.storage()), e.in(1), e.in_type(1),
                  fmt::format("{} + {}", e.out(), n * c.y.image_step), shape);
        e.f.statement("}");
    }
}

void emit_profile_conv(Emit& e) {
    if (has_volume(e)) return emit_volume_conv(e, Kind::profile);
    e.in_encoding(0) ? emit_conv_codes(e, true) : emit_hybrid_conv(e);
}
void emit_onnx_conv(Emit& e) { has_volume(e) ? emit_volume_conv(e, Kind::codes) : emit_conv_codes(e, false); }

void emit_real_conv(Emit& e) {
    if (has_volume(e)) return emit_volume_conv(e, Kind::real);
    const ConvCase c = conv_case(e);
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const std::string x = e.real_in(0), w = e.real_in(1), bias = real_bias(e, 2, c.product.channels);
    call_conv(e, c, e.exact() ? "conv_in_order" : "conv", real_finish(bias), x, "float", w, "float", e.real_out(), conv_shape(e, c));
}

// Scales and zero points are inputs of the node.
void emit_conv_of_codes(Emit& e) {
    const bool requantized = e.node.is(ops::QLinearConv);
    const size_t filter = requantized ? 3 : 1;
    const ConvCase c = conv_case(e, filter);
    const Finish finish = requantized ? qlinear_finish(e, c.product) : integer_finish(e, c.product);
    call_conv(e, c, "conv", finish, e.in(0), e.in_type(0), e.in(filter), e.in_type(filter), e.out(), conv_shape(e, c));
}

constexpr std::array conv_table{
    EmitRow{Kind::real, "ConvInteger", emit_conv_of_codes}, EmitRow{Kind::real, "QLinearConv", emit_conv_of_codes},
    EmitRow{Kind::profile, "Conv", emit_profile_conv},      EmitRow{Kind::profile, "ConvTranspose", emit_profile_conv},
    EmitRow{Kind::codes, "Conv", emit_onnx_conv},           EmitRow{Kind::real, "Conv", emit_real_conv},
    EmitRow{Kind::real, "ConvTranspose", emit_real_conv},
};

}  // namespace

std::span<const EmitRow> conv_rows() { return conv_table; }

}  // namespace quern::cgen
