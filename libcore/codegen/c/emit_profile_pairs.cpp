// Pairs of codes by the profile tflite - sums, products, quotients, comparisons, squared differences, slopes, sums of powers of two - and
// roots of 16-bit codes.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/parameters.h"

namespace quern::cgen {
namespace {

// `kernel` of codes u and v and its parameters t; the value is a C expression of its result.
template <class Parameters>
void emit_pair(Emit& e, std::string_view kernel, std::string_view type, const Parameters& parameters, std::string_view value = "{}",
               std::string_view variant = {}) {
    const Dims& dims = e.out_dims();
    e.source.kernel(kernel);
    const std::string call = fmt::format("{}(u, v, t)", kernel), table = e.source.parameters(type, parameters, e.label("scale"));
    const std::string fn = e.source.kernel("binary",
                                           {{"A", std::string(e.in_type(0))},
                                            {"B", std::string(e.in_type(1))},
                                            {"Y", std::string(e.out_type())},
                                            {"parameters", fmt::format(", const {} *t", type)},
                                            {"value", fmt::format("(@Y@)({})", fmt::format(fmt::runtime(value), call))}},
                                           variant.empty() ? kernel : variant);
    e.call(fn, {e.in(0), e.in(1), e.out(),
                walk(e, dims, {broadcast_steps(e.in_dims(0), dims), broadcast_steps(e.in_dims(1), dims)}, "walk"), table});
}

template <int sign>
void emit_sum(Emit& e) {
    emit_pair(e, "sum_codes", "sum_t", sum_parameters(*e.in_encoding(0), *e.in_encoding(1), *e.out_encoding(), sign));
}

template <int sign>
void emit_sum_of_powers(Emit& e) {
    emit_pair(e, "sum_of_powers", "sum_t", sum_of_powers_parameters(*e.in_encoding(0), *e.in_encoding(1), *e.out_encoding(), sign));
}

template <int bits>
void emit_squared_difference(Emit& e) {
    emit_pair(e, "square_difference", "sum_t",
              squared_difference_parameters(*e.in_encoding(0), *e.in_encoding(1), *e.out_encoding(), bits));
}

void emit_mul(Emit& e) {
    emit_pair(e, "multiply_codes", "multiply_t", product_parameters(*e.in_encoding(0), *e.in_encoding(1), *e.out_encoding()));
}

void emit_divide(Emit& e) {
    emit_pair(e, "divide_codes", "multiply_t", quotient_parameters(*e.in_encoding(0), *e.in_encoding(1), *e.out_encoding()));
}

void emit_slopes(Emit& e) {
    emit_pair(e, "slope_code", "slope_t", slope_parameters(*e.in_encoding(0), *e.in_encoding(1), *e.out_encoding()));
}

void emit_compare(Emit& e) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> signs{
        {{"Equal", "{} == 0"}, {"Less", "{} < 0"}, {"LessOrEqual", "{} <= 0"}, {"Greater", "{} > 0"}, {"GreaterOrEqual", "{} >= 0"}}};
    const auto sign = std::ranges::find(signs, e.node.op->name, &std::pair<std::string_view, std::string_view>::first);
    emit_pair(e, "compare_codes", "compare_t", compare_parameters(*e.in_encoding(0), *e.in_encoding(1), e.node.is(ops::Equal)),
              sign->second, slug(e.node.op->name));
}

void emit_root(Emit& e) {
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    e.source.kernel("root_code");
    const std::string type(e.in_type(0));
    e.call(e.source.kernel("unary",
                           {{"A", type},
                            {"Y", type},
                            {"parameters", ", int32_t x_zero, float x_scale, float y_scale, int32_t zero, int32_t low, int32_t high"},
                            {"value", "(@Y@)clip(root_code(u - x_zero, x_scale, y_scale) + zero, low, high)"}},
                           "root"),
           {e.in(0), e.out(), text_of(e.out_count()), text_of(x.zero), c_float(x.scale), c_float(y.scale), text_of(y.zero), text_of(y.low),
            text_of(y.high)});
}

constexpr std::array rows{
    EmitRow{Kind::profile, "Add", emit_sum<1>},
    EmitRow{Kind::profile, "Sub", emit_sum<-1>},
    EmitRow{Kind::profile, "Mul", emit_mul},
    EmitRow{Kind::profile, "Div", emit_divide},
    EmitRow{Kind::profile, "Equal", emit_compare},
    EmitRow{Kind::profile, "Less", emit_compare},
    EmitRow{Kind::profile, "LessOrEqual", emit_compare},
    EmitRow{Kind::profile, "Greater", emit_compare},
    EmitRow{Kind::profile, "GreaterOrEqual", emit_compare},
    EmitRow{Kind::profile, "Sub+Mul", emit_squared_difference<7>},
    EmitRow{Kind::profile, "tflm:Sub+Mul", emit_squared_difference<0>},
    EmitRow{Kind::profile, "tflite:Add", emit_sum_of_powers<1>},
    EmitRow{Kind::profile, "tflite:Sub", emit_sum_of_powers<-1>},
    EmitRow{Kind::profile, "PRelu", emit_slopes},
    EmitRow{Kind::profile, "Sqrt", emit_root},
};

}  // namespace

std::span<const EmitRow> profile_pair_rows() { return rows; }

}  // namespace quern::cgen
