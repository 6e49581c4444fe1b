// Codes along axes by the profile tflite: products, L2 normalization, bilinear resizing.
#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/ops/integer/parameters.h"
#include "libcore/ops/integer/tflite_resize.h"

namespace quern::cgen {
namespace {

void emit_product_along(Emit& e) {
    const ReductionWalks walks = reduction_walks(e);
    if (walks.count == 0) throw unsupported("a product of nothing");
    const rescale_t t = product_along_parameters(*e.in_encoding(0), *e.out_encoding(), walks.count);
    const std::string fn = e.source.kernel("product_codes", {{"CODE", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), walks.from, walks.over, e.source.parameters("rescale_t", t, e.label("scale"))});
}

void emit_l2_normalization(Emit& e) {
    const int64_t depth = e.in_dims(0).back();
    const std::string fn = e.source.kernel("l2_codes", {{"CODE", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), text_of(e.in_count(0) / depth), text_of(depth),
                e.source.parameters("normalize_t", normalize_parameters(*e.in_encoding(0), *e.out_encoding()), e.label("scale"))});
}

template <class Part>
void call_resize(Emit& e, std::string_view kernel) {
    const ResizeTaps<Part> taps(e.view, e.in_dims(0), e.out_dims(), false);
    e.call(e.source.kernel(kernel, {{"CODE", std::string(e.in_type(0))}}),
           {e.in(0), e.out(), e.source.numbers<int32_t>(taps.rows.places, e.label("rows")),
            e.source.numbers<Part>(taps.rows.parts, e.label("rows")), e.source.numbers<int32_t>(taps.columns.places, e.label("columns")),
            e.source.numbers<Part>(taps.columns.parts, e.label("columns")), e.source.parameters("resize_t", taps.sizes, e.label("sizes"))});
}

void emit_resize(Emit& e) {
    e.in_encoding(0)->storage == DType::u8 ? call_resize<float>(e, "resize_unsigned") : call_resize<int32_t>(e, "resize_codes");
}

constexpr std::array rows{
    EmitRow{Kind::profile, "ReduceProd", emit_product_along},
    EmitRow{Kind::profile, "Mul+ReduceSum+Sqrt+Max+Div", emit_l2_normalization},
    EmitRow{Kind::profile, "Resize", emit_resize},
};

}  // namespace

std::span<const EmitRow> profile_axis_rows() { return rows; }

}  // namespace quern::cgen
