// Operators on codes by the profile tflite: sums, products, rescaling, pools, softmax, reductions. libcore/ops/integer/tflite_*.cpp are the
// reference; factors are computed here as there.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "libcore/codegen/c/emit.h"
#include "libcore/codegen/c/spatial.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/logistic16.h"
#include "libcore/ops/integer/table16.h"
#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::cgen {
namespace {

std::string number(int64_t n) { return n == INT32_MIN ? "INT32_MIN" : text_of(n); }

void emit_binary(Emit& e, std::string_view kernel, std::string_view type, const std::string& fields) {
    e.source.kernel(kernel);
    emit_code_pairs(e, type, fmt::format("{}(u, v, t)", kernel), fields, kernel);
}

template <int sign>
void emit_sum(Emit& e) {
    const Grid a(*e.in_encoding(0)), b(*e.in_encoding(1)), y(*e.out_encoding());
    const int bits = bits_of(e.out_encoding()->storage) > 8 ? 15 : 20;
    const double common = static_cast<double>(2 * std::max(a.scale, b.scale));
    const FixedFactor left = FixedFactor::of(static_cast<double>(a.scale) / common),
                      right = FixedFactor::of(static_cast<double>(b.scale) / common),
                      out = FixedFactor::of(common / static_cast<double>(static_cast<float>(1 << bits) * y.scale));
    emit_binary(e, "sum_codes", "sum_t",
                fmt::format("    .bits = {}, .a_zero = {}, .a_factor = {}, .a_shift = {}, .b_zero = {}, .b_factor = {}, .b_shift = {},\n"
                            "    .sign = {}, .factor = {}, .shift = {}, .zero = {}, .low = {}, .high = {}",
                            bits, a.zero, left.factor, left.shift, b.zero, right.factor, right.shift, sign, out.factor, out.shift, y.zero,
                            y.low, y.high));
}

void emit_mul(Emit& e) {
    const Grid a(*e.in_encoding(0)), b(*e.in_encoding(1)), y(*e.out_encoding());
    const FixedFactor factor = FixedFactor::of(static_cast<double>(a.scale * b.scale / y.scale));
    emit_binary(e, "multiply_codes", "multiply_t",
                fmt::format("    .a_zero = {}, .b_zero = {}, .factor = {}, .shift = {}, .zero = {}, .low = {}, .high = {}", a.zero, b.zero,
                            factor.factor, factor.shift, y.zero, y.low, y.high));
}

std::string rescale(Emit& e, const Grid& x, const Grid& y, const FixedFactor& above, const FixedFactor& below) {
    e.source.kernel("rescale_t");
    return "&" + e.source.structure("rescale_t",
                                    fmt::format("    .x_zero = {}, .factor = {}, .shift = {}, .below_factor = {}, .below_shift = {}, "
                                                ".zero = {}, .low = {}, .high = {}",
                                                x.zero, above.factor, above.shift, below.factor, below.shift, y.zero, y.low, y.high),
                                    e.label("scale"));
}

void emit_each(Emit& e, const Grid& y, const FixedFactor& above, const FixedFactor& below) {
    const Grid x(*e.in_encoding(0));
    const std::string table = rescale(e, x, y, above, below);
    e.source.kernel("rescale_code");
    const std::string fn = e.source.kernel("unary",
                                           {{"A", std::string(e.in_type(0))},
                                            {"Y", std::string(e.out_type())},
                                            {"parameters", ", const rescale_t *t"},
                                            {"value", "(@Y@)rescale_code(u, t)"}},
                                           "rescale");
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count()), table});
}

void emit_leaky_relu(Emit& e) {
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    emit_each(e, y, FixedFactor::of(static_cast<double>(x.scale / y.scale)),
              FixedFactor::of(static_cast<double>(x.scale * e.view.real("alpha") / y.scale)));
}

void emit_recode(Emit& e) {
    const Grid y(*e.out_encoding());
    if (const Encoding* from = e.in_encoding(0)) {
        const FixedFactor factor = FixedFactor::of(static_cast<double>(Grid(*from).scale) / static_cast<double>(y.scale));
        return emit_each(e, y, factor, factor);
    }
    e.source.kernel("round_away");
    e.source.kernel("clip");
    const std::string fn =
        e.source.kernel("unary",
                        {{"A", "float"},
                         {"Y", std::string(e.out_type())},
                         {"parameters", ", float scale, int32_t zero, int32_t low, int32_t high"},
                         {"value", "(@Y@)clip((int64_t)(u == u ? round_away((double)(u / scale)) : 0) + zero, low, high)"}},
                        "to_codes");
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count()), c_float(y.scale), text_of(y.zero), text_of(y.low), text_of(y.high)});
}

// Relu and Clip alone: as libcore/ops/integer/tflite_reduce.cpp.
void emit_bounded(Emit& e) {
    const Grid x(*e.in_encoding(0));
    Grid y(*e.out_encoding());
    const auto [least, greatest] = int_range(e.out_encoding()->storage);
    const auto code_of = [&](size_t i) { return static_cast<int64_t>(std::round(to_floats(*e.constant(i))[0] / y.scale)) + y.zero; };
    y.low = least;
    y.high = greatest;
    if (e.node.is(ops::Relu))
        y.low = std::max(y.low, y.zero);
    else {
        if (e.has_in(1)) y.low = std::max(y.low, code_of(1));
        if (e.has_in(2)) y.high = std::min(y.high, code_of(2));
    }
    y.low = std::min(std::max(y.low, least), y.high);
    const FixedFactor factor = FixedFactor::of(static_cast<double>(x.scale / y.scale));
    emit_each(e, y, factor, factor);
}

void emit_average_pool(Emit& e) {
    const bool last = channels_last(e.view);
    const Spatial x(e.in_dims(0), last), y(e.out_dims(), last);
    const Window window = window_in_2d(e.view, x, e.view.integers("kernel_shape"));
    const std::string fn = e.source.kernel("average_codes", {{"X", std::string(e.in_type(0))}});
    const Grid grid(*e.out_encoding());
    e.call(fn, {e.in(0), e.out(),
                "&" + e.source.structure("conv_t", spatial_fields(x, y, window, 1, x.channels, y.channels), e.label("window")),
                text_of(grid.low), text_of(grid.high)});
}

// What the operand is multiplied by: a Mul in front of the Softmax.
float beta_of(Emit& e) {
    if (!e.node.is(ops::Mul)) return 1.0f;
    const auto beta = e.constant(1);
    if (!beta) throw unsupported("a factor that is computed in the run");
    return to_floats(*beta)[0];
}

void emit_softmax_8(Emit& e) {
    constexpr int integer_bits = 5;
    const Grid x(*e.in_encoding(0));
    const double scale = static_cast<double>(beta_of(e)) * static_cast<double>(x.scale) * (1 << (31 - integer_bits));
    const FixedFactor factor = FixedFactor::of(std::min(scale, static_cast<double>((int64_t{1} << 31) - 1)));
    const auto reach = static_cast<int64_t>(std::floor(((1 << integer_bits) - 1) * static_cast<double>(int64_t{1} << (31 - integer_bits)) /
                                                       static_cast<double>(int64_t{1} << factor.shift)));
    const DType storage = e.out_encoding()->storage;
    const auto [least, most] = int_range(storage);
    const int64_t length = e.in_dims(0).back();
    const std::string fn = e.source.kernel("softmax_codes", {{"X", std::string(e.in_type(0))},
                                                             {"Y", std::string(e.out_type())},
                                                             {"least", number(least)},
                                                             {"most", number(most)},
                                                             {"shift", text_of(43 - bits_of(storage))}});
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count() / length), text_of(length), text_of(factor.factor), text_of(factor.shift),
                text_of(reach)});
}

// As libcore/ops/integer/tflite_softmax.cpp: LiteRT fills the tables in double and multiplies scale and beta in float32, TFLite Micro the
// other way round.
template <class Table, class Product>
void emit_softmax_16(Emit& e) {
    constexpr Table range = 65535;
    const Table16 exponential(10 / range, 32767, 2 / range, [](Table x) { return portable::exp(x); });
    const Table16 reciprocal(1 / range, -32768, 2 / range, [](Table x) { return 1 / (1 + x); });
    const Product scale = static_cast<Product>(Grid(*e.in_encoding(0)).scale) * static_cast<Product>(beta_of(e));
    const FixedFactor factor = FixedFactor::of(static_cast<double>(scale) / (10.0 / 65535.0));
    const int64_t length = e.in_dims(0).back();
    if (length > 65536) throw unsupported("softmax over {} codes of 16 bits", length);
    const std::string fn = e.source.kernel("softmax_16");
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count() / length), text_of(length), text_of(factor.factor), text_of(factor.shift),
                e.source.numbers<int16_t>(exponential.items(), e.label("exp")),
                e.source.numbers<int16_t>(reciprocal.items(), e.label("reciprocal"))});
}

void emit_softmax(Emit& e) { bits_of(e.in_encoding(0)->storage) > 8 ? emit_softmax_16<double, float>(e) : emit_softmax_8(e); }

// 16-bit codes; those of 8 bits are a table.
void emit_logistic(Emit& e) {
    const bool is_tanh = e.node.is(ops::Tanh);
    const ToTwelveBits to(Grid(*e.in_encoding(0)).scale, is_tanh ? 2 : 1);
    const auto& table = logistic_table();
    e.source.kernel("logistic_codes");
    e.source.kernel("clip");
    const std::string fn = e.source.kernel(
        "unary",
        {{"A", std::string(e.in_type(0))},
         {"Y", std::string(e.out_type())},
         {"parameters", ", int32_t factor, int32_t shift, int32_t is_tanh, const uint16_t *table, int32_t low, int32_t high"},
         {"value", "(@Y@)clip(logistic_codes(u, factor, shift, is_tanh, table), low, high)"}},
        "logistic");
    const Grid y(*e.out_encoding());
    e.call(fn, {e.in(0), e.out(), text_of(e.out_count()), text_of(to.factor), text_of(to.shift), is_tanh ? "1" : "0",
                e.source.constant(from_ints(DType::u16, {256}, std::vector<int64_t>(table.begin(), table.end())), e.label("table")),
                text_of(y.low), text_of(y.high)});
}

template <bool mean>
void emit_reduced_sum(Emit& e) {
    const Grid x(*e.in_encoding(0)), whole(*e.out_encoding());
    const ReductionWalks walks = reduction_walks(e);
    FixedFactor factor = FixedFactor::of(static_cast<double>(x.scale) / static_cast<double>(whole.scale));
    const int64_t count = walks.count;
    if (count == 0) throw unsupported("a sum of nothing");
    if (mean) {
        const int shift = std::min({63 - std::countl_zero(static_cast<uint64_t>(count)), 32, 31 + factor.shift});
        factor.factor = static_cast<int32_t>((int64_t{factor.factor} << shift) / count);
        factor.shift -= shift;
    }
    Grid y = whole;
    const auto [least, greatest] = int_range(e.out_encoding()->storage);
    y.low = least;
    y.high = greatest;
    const std::string table = rescale(e, x, y, factor, factor), fn = e.source.kernel("mean_codes", {{"X", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), walks.from, walks.over, table});
}

constexpr std::array rows{
    EmitRow{Kind::profile, "Add", emit_sum<1>},
    EmitRow{Kind::profile, "Sub", emit_sum<-1>},
    EmitRow{Kind::profile, "Mul", emit_mul},
    EmitRow{Kind::profile, "LeakyRelu", emit_leaky_relu},
    EmitRow{Kind::profile, "Recode", emit_recode, "quern"},
    EmitRow{Kind::profile, "Relu", emit_bounded},
    EmitRow{Kind::profile, "Clip", emit_bounded},
    EmitRow{Kind::profile, "AveragePool", emit_average_pool},
    EmitRow{Kind::profile, "Softmax", emit_softmax},
    EmitRow{Kind::profile, "Mul+Softmax", emit_softmax},
    EmitRow{Kind::profile, "tflm:Softmax", emit_softmax_16<float, double>},
    EmitRow{Kind::profile, "tflm:Mul+Softmax", emit_softmax_16<float, double>},
    EmitRow{Kind::profile, "Sigmoid", emit_logistic},
    EmitRow{Kind::profile, "Tanh", emit_logistic},
    EmitRow{Kind::profile, "ReduceMean", emit_reduced_sum<true>},
    EmitRow{Kind::profile, "GlobalAveragePool", emit_reduced_sum<true>},
    EmitRow{Kind::profile, "ReduceSum", emit_reduced_sum<false>},
    EmitRow{Kind::profile, "ReduceMax", emit_extreme},
    EmitRow{Kind::profile, "ReduceMin", emit_extreme},
};

}  // namespace

std::span<const EmitRow> profile_rows() { return rows; }

}  // namespace quern::cgen
