// Codes along axes by the profile tflite: products, L2 normalization, bilinear resizing. libcore/ops/integer/tflite_reduce.cpp,
// tflite_softmax.cpp and tflite_resize.h are the reference.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/tflite_resize.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern::cgen {
namespace {

// Every product is scaled, by x_scale / y_scale^(1/n), so that none overflows.
void emit_product_along(Emit& e) {
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    const ReductionWalks walks = reduction_walks(e);
    if (walks.count == 0) throw unsupported("a product of nothing");
    const FixedFactor factor =
        FixedFactor::of(static_cast<double>(x.scale) / portable::pow(static_cast<double>(y.scale), 1.0 / static_cast<double>(walks.count)));
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

// Parts are in 1024ths for signed codes, floats for unsigned ones.
template <class Real, class Part>
void call_resize(Emit& e, const Words& words) {
    const Dims in = image_dims(e.in_dims(0), e.view, e.in_dims(0), e.out_dims()),
               out = image_dims(e.out_dims(), e.view, e.in_dims(0), e.out_dims());
    const auto taps = [&](size_t axis, std::string_view name) {
        std::vector<int32_t> places;
        std::vector<Part> parts;
        for (const auto& tap : taps_of(in[axis], out[axis], corners_of(e.view), false, Real{})) {
            places.push_back(static_cast<int32_t>(tap.low));
            places.push_back(static_cast<int32_t>(tap.high));
            parts.push_back(static_cast<Part>(tap.part));
        }
        return e.source.numbers<int32_t>(places, e.label(name)) + ", " + e.source.numbers<Part>(parts, e.label(name));
    };
    e.call(e.source.kernel("resize_codes", words), {e.in(0), e.out(), text_of(in[0]), text_of(in[1]), text_of(in[2]), text_of(out[1]),
                                                    text_of(out[2]), text_of(in[3]), taps(1, "rows"), taps(2, "columns")});
}

void emit_resize(Emit& e) {
    const std::string type(e.in_type(0));
    if (e.in_encoding(0)->storage == DType::u8)
        call_resize<float, float>(e, {{"X", type}, {"P", "float"}, {"R", "float"}, {"whole", "1"}, {"rounded", "sum + 0.5f"}});
    else
        call_resize<int64_t, int32_t>(e, {{"X", type},
                                          {"P", "int32_t"},
                                          {"R", "int64_t"},
                                          {"whole", "1024"},
                                          {"rounded", "(sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20)"}});
}

constexpr std::array rows{
    EmitRow{Kind::profile, "ReduceProd", emit_product_along},
    EmitRow{Kind::profile, "Mul+ReduceSum+Sqrt+Max+Div", emit_l2_normalization},
    EmitRow{Kind::profile, "Resize", emit_resize},
};

}  // namespace

std::span<const EmitRow> profile_axis_rows() { return rows; }

}  // namespace quern::cgen
