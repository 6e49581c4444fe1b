// Pairs of codes by the profile tflite - comparisons, quotients, squared differences, slopes, sums of powers of two - and functions of one
// 16-bit code that are no lines. libcore/ops/integer/tflite_elementwise.cpp and tflite_activation.cpp are the reference.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_point.h"

namespace quern::cgen {
namespace {

struct Pair {
    Grid a, b;
    FixedFactor left, right;
    double common;  // twice the greater scale
    explicit Pair(Emit& e) : a(*e.in_encoding(0)), b(*e.in_encoding(1)), common(static_cast<double>(2 * std::max(a.scale, b.scale))) {
        left = FixedFactor::of(static_cast<double>(a.scale) / common);
        right = FixedFactor::of(static_cast<double>(b.scale) / common);
    }
};

// Both sides by their scales with 8 more bits; the order of 16-bit codes is that of the codes.
void emit_compare(Emit& e) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> signs{
        {{"Equal", "=="}, {"Less", "<"}, {"LessOrEqual", "<="}, {"Greater", ">"}, {"GreaterOrEqual", ">="}}};
    const auto sign = std::ranges::find(signs, e.node.op->name, &std::pair<std::string_view, std::string_view>::first);
    const Grid a(*e.in_encoding(0)), b(*e.in_encoding(1));
    const bool plain = e.in_encoding(0)->storage == DType::i16 && sign->first != "Equal";
    const FixedFactor left = FixedFactor::of(static_cast<double>(a.scale)), right = FixedFactor::of(static_cast<double>(b.scale));
    e.source.kernel("compare_t");
    if (!plain) e.source.kernel("scaled");
    const auto side = [plain](char name, char item) {
        return plain ? fmt::format("{1} - t->{0}_zero", name, item)
                     : fmt::format("scaled((int32_t)((uint32_t)({1} - t->{0}_zero) << 8), t->{0}_factor, t->{0}_shift)", name, item);
    };
    emit_code_pairs(e, "compare_t", fmt::format("({}) {} ({})", side('a', 'u'), sign->second, side('b', 'v')),
                    fmt::format("    .a_zero = {}, .a_factor = {}, .a_shift = {}, .b_zero = {}, .b_factor = {}, .b_shift = {}", a.zero,
                                left.factor, left.shift, b.zero, right.factor, right.shift),
                    slug(e.node.op->name) + (plain ? "_plain" : ""));
}

std::string result_fields(const Grid& y) { return fmt::format(".zero = {}, .low = {}, .high = {}", y.zero, y.low, y.high); }

void emit_divide(Emit& e) {
    const Grid a(*e.in_encoding(0)), b(*e.in_encoding(1)), y(*e.out_encoding());
    const FixedFactor factor = FixedFactor::of(static_cast<double>(a.scale / (b.scale * y.scale)));
    e.source.kernel("divide_codes");
    emit_code_pairs(e, "multiply_t", "divide_codes(u, v, t)",
                    fmt::format("    .a_zero = {}, .b_zero = {}, .factor = {}, .shift = {}, {}", a.zero, b.zero, factor.factor,
                                factor.shift, result_fields(y)),
                    "divide_codes");
}

template <int bits>
void emit_squared_difference(Emit& e) {
    const Pair p(e);
    const Grid y(*e.out_encoding());
    const FixedFactor out = FixedFactor::of(p.common * p.common / static_cast<double>(static_cast<float>(1 << (2 * bits)) * y.scale));
    e.source.kernel("square_difference");
    emit_code_pairs(
        e, "sum_t", "square_difference(u, v, t)",
        fmt::format("    .bits = {}, .a_zero = {}, .a_factor = {}, .a_shift = {}, .b_zero = {}, .b_factor = {}, .b_shift = {},\n"
                    "    .sign = -1, .factor = {}, .shift = {}, {}",
                    bits, p.a.zero, p.left.factor, p.left.shift, p.b.zero, p.right.factor, p.right.shift, out.factor, out.shift,
                    result_fields(y)),
        "square_difference");
}

// 16-bit codes whose scales are powers of two: one operand has the result's scale, the other is shifted to it.
template <int sign>
void emit_sum_of_powers(Emit& e) {
    int a = 0, b = 0, y = 0;
    is_power_of_two(Grid(*e.in_encoding(0)).scale, a);
    is_power_of_two(Grid(*e.in_encoding(1)).scale, b);
    is_power_of_two(Grid(*e.out_encoding()).scale, y);
    e.source.kernel("sum_of_powers");
    emit_code_pairs(
        e, "sum_t", "sum_of_powers(u, v, t)",
        fmt::format("    .bits = 0, .a_zero = {}, .a_factor = 0, .a_shift = {}, .b_zero = {}, .b_factor = 0, .b_shift = {},\n"
                    "    .sign = {}, .factor = 0, .shift = 0, {}",
                    Grid(*e.in_encoding(0)).zero, y - a, Grid(*e.in_encoding(1)).zero, y - b, sign, result_fields(Grid(*e.out_encoding()))),
        "sum_of_powers");
}

void emit_slopes(Emit& e) {
    const Grid x(*e.in_encoding(0)), slope(*e.in_encoding(1)), y(*e.out_encoding());
    const FixedFactor above = FixedFactor::of(static_cast<double>(x.scale / y.scale)),
                      below = FixedFactor::of(static_cast<double>(x.scale * slope.scale / y.scale));
    e.source.kernel("slope_code");
    emit_code_pairs(e, "slope_t", "slope_code(u, v, t)",
                    fmt::format("    .a_zero = {}, .b_zero = {}, .factor = {}, .shift = {}, .below_factor = {}, .below_shift = {}, {}",
                                x.zero, slope.zero, above.factor, above.shift, below.factor, below.shift, result_fields(y)),
                    "slope_code");
}

// ---- one code ------------------------------------------------------------------------------------------------------------------

void emit_size(Emit& e) {
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    const FixedFactor factor = FixedFactor::of(static_cast<double>(x.scale / y.scale));
    e.source.kernel("size_code");
    const std::string table =
        "&" + e.source.structure("rescale_t",
                                 fmt::format("    .x_zero = {}, .factor = {}, .shift = {}, .below_factor = 0, .below_shift = 0, {}", x.zero,
                                             factor.factor, factor.shift, result_fields(y)),
                                 e.label("scale"));
    const std::string type(e.in_type(0));
    e.call(e.source.kernel("unary", {{"A", type}, {"Y", type}, {"parameters", ", const rescale_t *t"}, {"value", "(@Y@)size_code(u, t)"}},
                           "size"),
           {e.in(0), e.out(), text_of(e.out_count()), table});
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
    EmitRow{Kind::profile, "Equal", emit_compare},
    EmitRow{Kind::profile, "Less", emit_compare},
    EmitRow{Kind::profile, "LessOrEqual", emit_compare},
    EmitRow{Kind::profile, "Greater", emit_compare},
    EmitRow{Kind::profile, "GreaterOrEqual", emit_compare},
    EmitRow{Kind::profile, "Div", emit_divide},
    EmitRow{Kind::profile, "Sub+Mul", emit_squared_difference<7>},
    EmitRow{Kind::profile, "tflm:Sub+Mul", emit_squared_difference<0>},
    EmitRow{Kind::profile, "tflite:Add", emit_sum_of_powers<1>},
    EmitRow{Kind::profile, "tflite:Sub", emit_sum_of_powers<-1>},
    EmitRow{Kind::profile, "PRelu", emit_slopes},
    EmitRow{Kind::profile, "Abs", emit_size},
    EmitRow{Kind::profile, "Sqrt", emit_root},
};

}  // namespace

void emit_code_pairs(Emit& e, std::string_view type, const std::string& value, const std::string& fields, std::string_view variant) {
    const Dims& dims = e.out_dims();
    const std::string table = e.source.structure(type, fields, e.label("scale"));
    const std::string fn = e.source.kernel("binary",
                                           {{"A", std::string(e.in_type(0))},
                                            {"B", std::string(e.in_type(1))},
                                            {"Y", std::string(e.out_type())},
                                            {"parameters", fmt::format(", const {} *t", type)},
                                            {"value", "(@Y@)(" + value + ")"}},
                                           variant);
    e.call(fn, {e.in(0), e.in(1), e.out(),
                walk(e, dims, {broadcast_steps(e.in_dims(0), dims), broadcast_steps(e.in_dims(1), dims)}, "walk"), "&" + table});
}

std::span<const EmitRow> profile_pair_rows() { return rows; }

}  // namespace quern::cgen
