// 8-bit codes by onnxruntime's integer kernels: Add, Mul, Softmax, average pools, Concat and Where between encoded values
// (quantized.cpp and qpool.cpp of libcore/ops/microsoft are the reference).
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/qlinear_forms.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"

namespace quern::cgen {
namespace {

std::string min_code(Emit& e) { return text_of(int_range(e.out_encoding()->storage).min); }
std::string max_code(Emit& e) { return text_of(int_range(e.out_encoding()->storage).max); }

void call_binary(Emit& e, std::string_view variant, const std::string& parameters, const std::string& value,
                 std::vector<std::string> more) {
    const std::string type(e.in_type(0));
    const std::string fn =
        e.source.kernel("binary", {{"A", type}, {"B", type}, {"Y", type}, {"PARAMETERS", parameters}, {"VALUE", value}}, variant);
    std::vector<std::string> arguments{e.in(0), e.in(1), e.out(), pair_walk(e)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    e.call(fn, arguments);
}

void emit_add(Emit& e) {
    const Grid a(*e.in_encoding(0)), b(*e.in_encoding(1)), c(*e.out_encoding());
    const QLinearSum sum(a.scale, a.zero, b.scale, b.zero, c.scale, c.zero);
    e.source.kernel("qlinear_add");
    call_binary(e, "qlinear_add", ", float a_ratio, float b_ratio, float fixed, int32_t low, int32_t high",
                "(@Y@)qlinear_add(u, v, a_ratio, b_ratio, fixed, low, high)",
                {c_float(sum.a), c_float(sum.b), c_float(sum.fixed), min_code(e), max_code(e)});
}

void emit_mul(Emit& e) {
    const Grid a(*e.in_encoding(0)), b(*e.in_encoding(1)), c(*e.out_encoding());
    e.source.kernel("qlinear_multiply");
    call_binary(e, "qlinear_multiply", ", float a_zero, float b_zero, float ratio, float y_zero, int32_t low, int32_t high",
                "(@Y@)qlinear_multiply(u, v, a_zero, b_zero, ratio, y_zero, low, high)",
                {c_float(static_cast<float>(a.zero)), c_float(static_cast<float>(b.zero)), c_float(a.scale * b.scale / c.scale),
                 c_float(static_cast<float>(c.zero)), min_code(e), max_code(e)});
}

void emit_softmax(Emit& e) {
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    const Dims& dims = e.in_dims(0);
    const size_t axis = normal_axis(e.view.integer("axis"), dims.size());
    const int64_t step = strides_of(dims)[axis], length = dims[axis];
    const auto steps = static_cast<uint64_t>(std::floor(1.0f / y.scale));
    if (steps > UINT32_MAX) throw unsupported("a scale of {}", y.scale);
    const std::string fn = e.source.kernel("qlinear_softmax", {{"CODE", std::string(e.in_type(0))}});
    e.call(fn, {e.in(0), e.out(), text_of(e.in_count(0) / (step * length)), text_of(length), text_of(step),
                e.source.numbers<uint32_t>(qlinear_exponentials(x.scale, length), e.label("exp")), fmt::format("{}u", steps),
                text_of(y.zero), min_code(e), max_code(e)});
}

void emit_average_pool(Emit& e) {
    if (e.view.integer("ceil_mode") != 0) throw unsupported("ceil_mode");
    const bool last = channels_last(e.view);
    const Spatial x(e.in_dims(0), last), y(e.out_dims(), last);
    const Window window = window_in_2d(e.view, x, e.view.integers("kernel_shape"));
    const Grid px(*e.in_encoding(0)), py(*e.out_encoding());
    const Words words{{"X", std::string(e.in_type(0))},
                      {"PARAMETERS", ", float x_scale, int32_t x_zero, float y_scale, int32_t y_zero, int32_t low, int32_t high"},
                      {"TERM", "x_scale * (float)(u - x_zero)"},
                      {"MEAN", "(@X@)quantize_one((count ? sum / (float)count : 0.0f) / y_scale, y_zero, low, high)"}};
    e.source.kernel("quantize_one");
    const std::string fn = e.source.kernel("average_pool", words, "of_codes");
    e.call(fn, {e.in(0), e.out(), e.source.parameters("conv_t", conv_sizes(x, y, window), e.label("window")), text_of(window.after[0]),
                text_of(window.after[1]), e.view.integer("count_include_pad") != 0 ? "1" : "0", c_float(px.scale), text_of(px.zero),
                c_float(py.scale), text_of(py.zero), min_code(e), max_code(e)});
}

void emit_global_average(Emit& e) {
    const bool last = channels_last(e.view);
    const Dims& dims = e.in_dims(0);
    const int64_t channels = last ? dims.back() : dims[1], pixels = e.in_count(0) / (dims[0] * channels);
    const Grid x(*e.in_encoding(0)), y(*e.out_encoding());
    const Words words{{"X", std::string(e.in_type(0))},
                      {"SUM", "int32_t"},
                      {"PARAMETERS", ", float factor, int32_t x_zero, int32_t y_zero, int32_t low, int32_t high"},
                      {"TERM", "u - x_zero"},
                      {"MEAN", "(@X@)quantize_one((float)sum * factor, y_zero, low, high)"}};
    e.source.kernel("quantize_one");
    const std::string fn = e.source.kernel("global_average", words, "of_codes");
    e.call(fn, {e.in(0), e.out(), text_of(dims[0]), text_of(channels), text_of(pixels), text_of(last ? 1 : pixels),
                text_of(last ? channels : 1), c_float(x.scale / (y.scale * static_cast<float>(pixels))), text_of(x.zero), text_of(y.zero),
                min_code(e), max_code(e)});
}

// The codes of every code in another encoding.
std::string recoded(Emit& e, size_t input) {
    const Grid x(*e.in_encoding(input)), y(*e.out_encoding());
    if (*e.in_encoding(input) == *e.out_encoding()) return e.in(input);
    const IntRange in = int_range(e.in_encoding(input)->storage), out = int_range(e.out_encoding()->storage);
    std::vector<int64_t> table;
    for (int64_t code = in.min; code <= in.max; ++code)
        table.push_back(quantize_one(x.scale * static_cast<float>(code - x.zero), y.scale, y.zero, out.min, out.max));
    const std::string to = e.f.scratch(e.out_encoding()->storage, e.in_count(input));
    const std::string fn =
        e.source.kernel("look_up", {{"A", std::string(e.in_type(input))}, {"Y", std::string(e.out_type())}, {"LEAST", text_of(in.min)}});
    e.call(fn, {e.in(input), to, text_of(e.in_count(input)),
                e.source.constant(from_ints(e.out_encoding()->storage, {static_cast<int64_t>(table.size())}, table), e.label("table"))});
    return to;
}

void emit_concat(Emit& e) {
    const Dims& out = e.out_dims();
    const size_t axis = normal_axis(e.view.integer("axis"), out.size());
    const int64_t row = strides_of(out)[axis] * out[axis], outer = e.out_count() / row;
    const std::string fn = e.source.kernel("copy", {{"A", std::string(e.out_type())}});
    int64_t offset = 0;
    for (size_t i = 0; i < e.node.in.size(); ++i) {
        const int64_t width = e.in_count(i) / outer;
        if (width == 0) continue;
        const std::string part = recoded(e, i), y = e.out();
        e.call(fn, {part, offset == 0 ? y : fmt::format("{} + {}", y, offset), walk(e, {outer, width}, {{width, 1}, {row, 1}}, "part")});
        offset += width;
    }
}

void emit_where(Emit& e) {
    const Dims& dims = e.out_dims();
    const std::string a = recoded(e, 1), b = recoded(e, 2), fn = chooser(e, e.out_type());
    e.call(fn,
           {e.in(0), a, b, e.out(),
            walk(e, dims, {broadcast_steps(e.in_dims(0), dims), broadcast_steps(e.in_dims(1), dims), broadcast_steps(e.in_dims(2), dims)},
                 "walk")});
}

constexpr std::array qlinear_table{
    EmitRow{Kind::codes, "Add", emit_add},
    EmitRow{Kind::codes, "Mul", emit_mul},
    EmitRow{Kind::codes, "Softmax", emit_softmax},
    EmitRow{Kind::codes, "AveragePool", emit_average_pool},
    EmitRow{Kind::codes, "GlobalAveragePool", emit_global_average},
    EmitRow{Kind::codes, "Concat", emit_concat},
    EmitRow{Kind::codes, "Where", emit_where},
};

}  // namespace

std::span<const EmitRow> qlinear_rows() { return qlinear_table; }

}  // namespace quern::cgen
