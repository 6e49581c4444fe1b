// Codes along axes by the profile tflite: products, L2 normalization, bilinear resizing. libcore/ops/tflite_reduce.cpp, tflite_softmax.cpp
// and tflite_resize.h are the reference.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "libcore/ops/fixed_point.h"
#include "libcore/ops/tflite_resize.h"
#include "libcore/session/codegen/c/emit.h"

namespace quern::cgen {
namespace {

// Every product is scaled, by x_scale / y_scale^(1/n), so that none overflows.
void emit_product_along(Emit& e) {
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    const ReductionWalks walks = reduction_walks(e);
    if (walks.count == 0) throw unsupported("a product of nothing");
    const FixedFactor factor =
        FixedFactor::of(static_cast<double>(x.scale) / std::pow(static_cast<double>(y.scale), 1.0 / static_cast<double>(walks.count)));
    const auto [least, greatest] = int_range(e.out_encoding()->storage);
    const std::string fn = e.source.kernel("product_codes", {{"X", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), walks.from, walks.over, text_of(x.zero), text_of(factor.factor), text_of(factor.shift), text_of(y.zero),
                text_of(least), text_of(greatest)});
}

// To steps of 1/128.
void emit_l2_normalization(Emit& e) {
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    const int64_t depth = e.in_dims(0).back();
    const bool is_signed = e.out_encoding()->storage == DType::i8;
    const std::string fn = e.source.kernel("l2_codes", {{"X", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), text_of(e.in_count(0) / depth), text_of(depth), text_of(x.zero), is_signed ? "1" : "128",
                is_signed ? "7" : "0", text_of(y.zero), text_of(y.low), text_of(y.high)});
}

template <class Real>
void call_resize(Emit& e, std::string_view kernel) {
    const Dims &in = e.in_dims(0), &out = e.out_dims();
    const auto taps = [&](size_t axis, std::string_view name) {
        std::vector<int32_t> places;
        std::vector<Real> parts;
        for (const auto& tap : taps_of(in[axis], out[axis], corners_of(e.view), false, Real{})) {
            places.push_back(static_cast<int32_t>(tap.low));
            places.push_back(static_cast<int32_t>(tap.high));
            parts.push_back(tap.part);
        }
        std::vector<int32_t> whole(parts.begin(), parts.end());
        return e.source.numbers<int32_t>(places, e.label(name)) + ", " +
               (std::is_same_v<Real, float> ? e.source.numbers<float>(std::vector<float>(parts.begin(), parts.end()), e.label(name))
                                            : e.source.numbers<int32_t>(whole, e.label(name)));
    };
    const std::string fn = e.source.kernel(kernel, {{"X", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), text_of(in[0]), text_of(in[1]), text_of(in[2]), text_of(out[1]), text_of(out[2]), text_of(in[3]),
                taps(1, "rows"), taps(2, "columns")});
}

void emit_resize(Emit& e) {
    e.in_encoding(0)->storage == DType::u8 ? call_resize<float>(e, "resize_unsigned") : call_resize<int64_t>(e, "resize_signed");
}

constexpr std::array rows{
    EmitRow{Kind::profile, "ReduceProd", emit_product_along},
    EmitRow{Kind::profile, "Mul+ReduceSum+Sqrt+Max+Div", emit_l2_normalization},
    EmitRow{Kind::profile, "Resize", emit_resize},
};

}  // namespace

std::span<const EmitRow> profile_axis_rows() { return rows; }

}  // namespace quern::cgen
