// Conv, ConvTranspose, Gemm and MatMul: on codes by the profiles onnx and tflite, between real numbers with rounded activations (hybrid),
// and on real numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "libcore/ops/fixed_point.h"
#include "libcore/ops/integer_product.h"
#include "libcore/ops/profile.h"
#include "libcore/ops/requantization.h"
#include "libcore/ops/shared.h"
#include "libcore/ops/spatial.h"
#include "libcore/ops/window.h"
#include "libcore/session/codegen/c/emit.h"
#include "libcore/session/codegen/c/spatial.h"

namespace quern::cgen {
namespace {

// What follows a sum: C parameters, the expression of the result, the kernels it calls, the arguments of the call.
struct Finish {
    std::string variant, accumulator, parameters, expression, term;
    std::vector<std::string> arguments;
    std::string y_type, start;  // start: of sums that begin with the bias
};

struct Weights {
    std::string at, type;
    int64_t zero;
};

// Those with a zero point a channel are stored less them.
Weights weight_codes(Emit& e, size_t i) {
    const Encoding& w = *e.in_encoding(i);
    const auto zeros = zeros_of(w);
    if (std::ranges::all_of(zeros, [&](int64_t z) { return z == zeros[0]; })) return {e.in(i), std::string(e.in_type(i)), zeros[0]};
    const auto tensor = e.constant(i);
    if (!tensor) throw unsupported("input {} has a zero point a channel and is no constant", i);
    const auto items = centered(*tensor, zeros, static_cast<size_t>(std::max(w.axis, 0)));
    std::vector<int64_t> wide(items.begin(), items.end());
    return {e.source.constant(from_ints(DType::i16, tensor->dims, wide), e.label("weights")), "int16_t", 0};
}

std::string requant(Emit& e, int64_t x_zero, int64_t w_zero, const Encoding* out, size_t factors) {
    e.source.kernel("requant_t");
    const Grid y = out ? Grid(*out) : Grid(Encoding{.qmin = 0, .qmax = 0, .scale = Tensor::scalar(1.0f), .zero = {}, .min = {}});
    return "&" + e.source.structure("requant_t",
                                    fmt::format("    .x_zero = {}, .w_zero = {}, .y_zero = {}, .y_low = {}, .y_high = {}, .step = {}",
                                                x_zero, w_zero, y.zero, y.low, y.high, factors > 1 ? 1 : 0),
                                    e.label("grid"));
}

// The greatest |sum| of `depth` products of centred codes, to see whether int32 holds it.
bool fits_int32(Emit& e, int64_t depth, std::span<const int64_t> bias) {
    const auto reach = [](const Encoding& enc) {
        const auto [low, high] = int_range(enc.storage);
        double most = 0;
        for (const int64_t zero : zeros_of(enc)) most = std::max({most, static_cast<double>(high - zero), static_cast<double>(zero - low)});
        return most;
    };
    double most = static_cast<double>(depth) * reach(*e.in_encoding(0)) * reach(*e.in_encoding(1));
    double added = 0;
    for (const int64_t b : bias) added = std::max(added, std::abs(static_cast<double>(b)));
    return most + added < 2147483647.0;
}

struct Product {
    size_t bias_input;
    size_t channels;
    int64_t depth;
};

std::string integer_term(std::string_view accumulator, bool wide) {
    return wide ? fmt::format("({})(@from@ - q->x_zero) * (@filter@ - q->w_zero)", accumulator)
                : std::string("(@from@ - q->x_zero) * (@filter@ - q->w_zero)");
}

// ---- profile tflite ------------------------------------------------------------------------------------------------------------

Finish tflite_finish(Emit& e, const Product& p, int64_t w_zero, ProductScaling scaling) {
    const Encoding &x = *e.in_encoding(0), &w = *e.in_encoding(1), &out = *e.out_encoding();
    const bool real = scaling == ProductScaling::real;
    const std::vector<double> reals = tflite_factors(x, w, out, scaling);
    std::vector<int64_t> bias;
    if (e.has_in(p.bias_input)) {
        const auto tensor = e.constant(p.bias_input);
        if (!tensor) throw unsupported("the bias is no constant");
        bias = to_ints(*tensor);
        if (bias.size() == 1) bias.resize(p.channels, bias[0]);
    }
    const bool wide = has_wide_sums(x, bias.empty() ? nullptr : e.in_encoding(p.bias_input));
    const bool narrow = !wide && fits_int32(e, p.depth, bias);
    Finish finish;
    finish.y_type = e.out_type();
    finish.accumulator = narrow ? "int32_t" : "int64_t";
    finish.term = integer_term(finish.accumulator, !narrow || bits_of(x.storage) > 8);
    const DType bias_type =
        narrow || std::ranges::all_of(bias, [](int64_t b) { return b == static_cast<int32_t>(b); }) ? DType::i32 : DType::i64;
    std::string sum = bias.empty() ? "sum" : "sum + bias[channel]";
    if (!wide && !narrow) sum = fmt::format("(int32_t)(uint32_t)({})", sum);
    const std::string grid = requant(e, zeros_of(x)[0], w_zero, &out, reals.size());
    if (!bias.empty()) {
        finish.parameters = fmt::format("const {} *bias, ", c_type(bias_type));
        finish.arguments.push_back(e.source.constant(from_ints(bias_type, {static_cast<int64_t>(bias.size())}, bias), e.label("bias")));
    }
    finish.variant = fmt::format("{}{}{}",
                                 bias.empty()              ? "no_bias_"
                                 : bias_type == DType::i64 ? "bias64_"
                                                           : "",
                                 narrow ? "" : "long_",
                                 real   ? "real"
                                 : wide ? "wide"
                                        : "fixed");
    if (real) {
        finish.parameters += "const double *factor, const requant_t *q";
        finish.expression = fmt::format("(@Y@)clip((int64_t){}((double)({}) * factor[channel * q->step]) + q->y_zero, q->y_low, q->y_high)",
                                        e.source.kernel("round_away"), sum);
        e.source.kernel("clip");
        finish.arguments.push_back(e.source.numbers<double>(reals, e.label("factor")));
    } else {
        std::vector<int32_t> factors, shifts;
        for (const double r : reals) {
            const FixedFactor factor = FixedFactor::of(r);
            factors.push_back(factor.factor);
            shifts.push_back(factor.shift);
        }
        std::vector<int64_t> small(shifts.begin(), shifts.end());
        finish.parameters += "const int32_t *factor, const int8_t *shift, const requant_t *q";
        finish.expression =
            fmt::format("(@Y@)clip((int64_t){}({}, factor[channel * q->step], shift[channel * q->step]) + q->y_zero, q->y_low, q->y_high)",
                        e.source.kernel(wide ? "scaled_wide" : "scaled"), sum);
        e.source.kernel("clip");
        finish.arguments.push_back(e.source.numbers<int32_t>(factors, e.label("factor")));
        finish.arguments.push_back(e.source.constant(from_ints(DType::i8, {static_cast<int64_t>(small.size())}, small), e.label("shift")));
    }
    finish.arguments.push_back(grid);
    return finish;
}

// ---- profile onnx --------------------------------------------------------------------------------------------------------------

std::vector<int64_t> onnx_bias(Emit& e, const Product& p, std::span<const float> scales) {
    if (!e.has_in(p.bias_input)) return {};
    const auto tensor = e.constant(p.bias_input);
    if (!tensor) throw unsupported("the bias is no constant");
    return bias_codes(*tensor, e.in_encoding(p.bias_input), scales, p.channels);
}

Finish onnx_finish(Emit& e, const Product& p, int64_t w_zero) {
    const Encoding &x = *e.in_encoding(0), &w = *e.in_encoding(1);
    const Encoding* out = e.out_encoding();
    if (x.kind == Encoding::Kind::dynamic || w.kind == Encoding::Kind::dynamic || (out && out->kind == Encoding::Kind::dynamic))
        throw unsupported("a product of codes with a dynamic encoding");
    const std::vector<float> scales = product_scales(x, w);
    const auto bias = onnx_bias(e, p, scales);
    const std::vector<float> factors = out ? requantization_factors(scales, *out) : scales;
    const bool wide = bits_of(x.storage) + bits_of(w.storage) > 16, narrow = !wide && fits_int32(e, p.depth, bias);
    Finish finish;
    finish.y_type = out ? e.out_type() : "float";
    finish.accumulator = narrow ? "int32_t" : "int64_t";
    finish.term = integer_term(finish.accumulator, !narrow);
    std::string sum = bias.empty() ? "sum" : "sum + bias[channel]";
    if (!wide && !narrow) sum = fmt::format("(int32_t)(uint32_t)({})", sum);
    if (!bias.empty()) {
        finish.parameters = "const int32_t *bias, ";
        finish.arguments.push_back(e.source.constant(from_ints(DType::i32, {static_cast<int64_t>(bias.size())}, bias), e.label("bias")));
    }
    finish.parameters += "const float *factor, const requant_t *q";
    finish.arguments.push_back(e.source.numbers<float>(factors, e.label("factor")));
    finish.arguments.push_back(requant(e, zeros_of(x)[0], w_zero, out, factors.size()));
    finish.variant = fmt::format("{}{}{}", bias.empty() ? "no_bias_" : "",
                                 wide     ? "wide_"
                                 : narrow ? ""
                                          : "long_",
                                 out ? "float" : "to_real");
    if (out)
        finish.expression = fmt::format("(@Y@){}((float)({}) * factor[channel * q->step], q->y_zero, q->y_low, q->y_high)",
                                        e.source.kernel("quantize_one"), sum);
    else
        finish.expression = fmt::format("(float)({}) * factor[channel * q->step]", sum);
    return finish;
}

// ---- real numbers --------------------------------------------------------------------------------------------------------------

Finish real_finish(const std::string& bias) {
    Finish finish;
    finish.y_type = finish.accumulator = "float";
    finish.term = "@from@ * @filter@";
    finish.variant = bias.empty() ? "no_bias" : "";
    finish.expression = bias.empty() ? "sum" : "sum + bias[channel]";
    finish.start = bias.empty() ? "0.0f" : "bias[channel]";
    if (bias.empty()) return finish;
    finish.parameters = "const float *bias";
    finish.arguments.push_back(bias);
    return finish;
}

// Activations are rounded a slice at a time (libcore/ops/hybrid.h): the kernel that does it, what it makes, how scales are multiplied.
struct Rounding {
    bool symmetric, channel_first;
    std::string_view kernel() const { return symmetric ? "symmetric_codes" : "asymmetric_codes"; }
    DType storage() const { return symmetric ? DType::i8 : DType::i16; }  // codes less their zero point
};

Finish hybrid_finish(Emit& e, const std::string& bias, const Rounding& rounding) {
    const std::vector<float> scales = to_floats(e.in_encoding(1)->scale);
    Finish finish;
    finish.y_type = "float";
    finish.accumulator = "int32_t";
    finish.term = integer_term("int32_t", false);
    finish.variant = fmt::format("hybrid{}{}", rounding.channel_first ? "_channel_first" : "", bias.empty() ? "_no_bias" : "");
    finish.parameters = fmt::format("{}float scale, const float *factor, const requant_t *q", bias.empty() ? "" : "const float *bias, ");
    finish.expression = fmt::format(
        "{}{}",
        rounding.channel_first ? "(float)sum * factor[channel * q->step] * scale" : "(float)sum * (scale * factor[channel * q->step])",
        bias.empty() ? "" : " + bias[channel]");
    if (!bias.empty()) finish.arguments.push_back(bias);
    finish.arguments.insert(finish.arguments.end(),
                            {"scale", e.source.numbers<float>(scales, e.label("factor")), requant(e, 0, 0, nullptr, scales.size())});
    return finish;
}

void call_product(Emit& e, std::string_view piece, const Finish& finish, const std::string& x, std::string_view x_type,
                  const std::string& w, std::string_view w_type, const std::string& y, const std::string& shape, const Words& more = {}) {
    const bool matrix = piece == "matmul";
    Words words{{"X", std::string(x_type)},
                {"W", std::string(w_type)},
                {"Y", finish.y_type},
                {"A", finish.accumulator},
                {"parameters", finish.parameters + (finish.parameters.empty() ? "" : ", ")},
                {"term", finish.term},
                {"start", finish.start},
                {"finish", finish.expression},
                {"block", e.exact() ? "s->depth" : "64"},
                {"from", matrix ? "from[c * s->a_column]" : "from[c * s->x_c]"},
                {"filter", matrix ? "filter[c * s->w_row]" : "filter[c * s->w_c]"}};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<std::string> arguments{x, w};
    arguments.insert(arguments.end(), finish.arguments.begin(), finish.arguments.end());
    arguments.push_back(y);
    arguments.push_back(shape);
    e.call(e.source.kernel(piece, words, finish.variant), arguments);
}

// ---- Conv ----------------------------------------------------------------------------------------------------------------------

struct ConvCase {
    bool last, transposed;
    Spatial x, y;
    Dims w_dims;
    int64_t groups;
    Product product;
    Words words() const {  // where taps and filters are
        return {{"source", transposed ? "conv_transpose_source" : "conv_source"},
                {"filter_at", transposed ? "g * s->in_channels * s->w_c + m * s->w_m" : "channel * s->w_m"}};
    }
};

ConvCase conv_case(Emit& e) {
    ConvCase c{};
    c.transposed = e.node.op->name == "ConvTranspose";
    c.last = !c.transposed && channels_last(e.view);
    c.x = Spatial(e.in_dims(0), c.last);
    c.y = Spatial(e.out_dims(), c.last);
    c.w_dims = e.in_dims(1);
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

std::string conv_shape(Emit& e, const ConvCase& c) {
    e.source.kernel("conv_t");
    const Spatial filter(c.w_dims, c.last);  // [M, C/group, kernel...], transposed [C, M/group, kernel...]
    const Window window = window_in_2d(e.view, c.x, filter.space(), c.transposed ? &c.y : nullptr);
    const int64_t w_m = c.transposed ? filter.channel_step : filter.image_step,
                  w_c = c.transposed ? filter.image_step : filter.channel_step;
    return "&" + e.source.structure(
                     "conv_t",
                     spatial_fields(c.x, c.y, window, c.groups, c.x.channels / c.groups, c.y.channels / c.groups) +
                         fmt::format(",\n    .w_m = {}, .w_c = {}, .w_h = {}, .w_w = {}", w_m, w_c, filter.row_step, filter.column_step),
                     e.label("shape"));
}

void emit_conv_codes(Emit& e, bool tflite) {
    const ConvCase c = conv_case(e);
    const Weights w = weight_codes(e, 1);
    const Finish finish = tflite
                              ? tflite_finish(e, c.product, w.zero, tflite_scaling(e.node.op->name, *e.in_encoding(0), *e.in_encoding(1)))
                              : onnx_finish(e, c.product, w.zero);
    call_conv(e, c, "conv", finish, e.in(0), e.in_type(0), w.at, w.type, tflite || e.out_encoding() ? e.out() : e.real_out(),
              conv_shape(e, c));
}

std::string real_bias(Emit& e, size_t input, size_t channels) {
    if (!e.has_in(input)) return {};
    if (e.in_count(input) == static_cast<int64_t>(channels)) return e.real_in(input);
    const auto tensor = e.real_constant(input);
    if (!tensor || tensor->count() != 1) throw unsupported("a bias of {}", to_string(e.in_dims(input)));
    return e.source.numbers<float>(std::vector<float>(channels, to_floats(*tensor)[0]), e.label("bias"));
}

// As libcore/ops/tflite_hybrid.cpp: with a zero point of their own where filters have several scales or groups.
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

void emit_profile_conv(Emit& e) { e.in_encoding(0) ? emit_conv_codes(e, true) : emit_hybrid_conv(e); }
void emit_onnx_conv(Emit& e) { emit_conv_codes(e, false); }

void emit_real_conv(Emit& e) {
    const ConvCase c = conv_case(e);
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const std::string x = e.real_in(0), w = e.real_in(1), bias = real_bias(e, 2, c.product.channels);
    call_conv(e, c, e.exact() ? "conv_in_order" : "conv", real_finish(bias), x, "float", w, "float", e.real_out(), conv_shape(e, c));
}

// ---- Gemm and MatMul -----------------------------------------------------------------------------------------------------------

struct MatrixCase {
    int64_t rows, depth, columns;
    std::vector<std::pair<int64_t, int64_t>> batches;  // offsets of both operands, one a matrix of the result
    int64_t a_row, a_column, w_row, w_column;
    Product product;
};

MatrixCase matrix_case(Emit& e) {
    const bool gemm = e.node.op->name == "Gemm";
    const bool flip_a = gemm && e.view.integer("transA") != 0, flip_b = gemm && e.view.integer("transB") != 0;
    Dims a = e.in_dims(0), b = e.in_dims(1);
    if (flip_a) std::swap(a[0], a[1]);
    if (flip_b) std::swap(b[0], b[1]);
    const ProductShape shape = product_shape(a, b);
    MatrixCase m{shape.m, shape.k, shape.n, {}, shape.k, 1, shape.n, 1, {}};
    if (flip_a) m.a_row = 1, m.a_column = shape.m;
    if (flip_b) m.w_row = 1, m.w_column = shape.k;
    const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
    for (size_t i = 0; i < static_cast<size_t>(count_of(shape.batch)); ++i)
        m.batches.emplace_back(static_cast<int64_t>(at_a(i)) * shape.m * shape.k, static_cast<int64_t>(at_b(i)) * shape.k * shape.n);
    m.product = {gemm ? size_t{2} : e.node.in.size(), static_cast<size_t>(shape.n), shape.k};
    return m;
}

std::string matrix_shape(Emit& e, const MatrixCase& m, int64_t batch, int64_t a_step, int64_t w_step) {
    e.source.kernel("matmul_t");
    return "&" +
           e.source.structure(
               "matmul_t",
               fmt::format("    .batch = {}, .rows = {}, .depth = {}, .columns = {},\n    .a_batch = {}, .a_row = {}, .a_column = {}, "
                           ".w_batch = {}, .w_row = {}, .w_column = {}",
                           batch, m.rows, m.depth, m.columns, a_step, m.a_row, m.a_column, w_step, m.w_row, m.w_column),
               e.label("shape"));
}

// The batches as one call where both operands move on by equal steps, else a call each run of such.
void each_batch(const MatrixCase& m, const std::function<void(size_t first, size_t count, int64_t a_step, int64_t w_step)>& fn) {
    for (size_t first = 0; first < m.batches.size();) {
        size_t count = 1;
        int64_t a_step = 0, w_step = 0;
        for (; first + count < m.batches.size(); ++count) {
            const auto [a0, w0] = m.batches[first + count - 1];
            const auto [a1, w1] = m.batches[first + count];
            if (count == 1) a_step = a1 - a0, w_step = w1 - w0;
            if (a1 - a0 != a_step || w1 - w0 != w_step) break;
        }
        fn(first, count, a_step, w_step);
        first += count;
    }
}

std::string plus(const std::string& pointer, int64_t offset) { return offset == 0 ? pointer : fmt::format("{} + {}", pointer, offset); }

void call_matrix(Emit& e, const MatrixCase& m, const Finish& finish, const std::string& x, std::string_view x_type, const std::string& w,
                 std::string_view w_type, const std::string& y) {
    each_batch(m, [&](size_t first, size_t count, int64_t a_step, int64_t w_step) {
        call_product(e, "matmul", finish, plus(x, m.batches[first].first), x_type, plus(w, m.batches[first].second), w_type,
                     plus(y, static_cast<int64_t>(first) * m.rows * m.columns),
                     matrix_shape(e, m, static_cast<int64_t>(count), a_step, w_step));
    });
}

void emit_matrix_codes(Emit& e, std::optional<ProductScaling> tflite) {
    const MatrixCase m = matrix_case(e);
    const Weights w = weight_codes(e, 1);
    const Finish finish = tflite ? tflite_finish(e, m.product, w.zero, *tflite) : onnx_finish(e, m.product, w.zero);
    call_matrix(e, m, finish, e.in(0), e.in_type(0), w.at, w.type, tflite || e.out_encoding() ? e.out() : e.real_out());
}

// Row by row; one matrix of weights for all batches.
void emit_hybrid_gemm(Emit& e) {
    MatrixCase m = matrix_case(e);
    const Rounding rounding{!e.view.has(asymmetric_key), false};
    const std::string bias = e.node.op->name == "Gemm" ? real_bias(e, 2, m.product.channels) : "";
    const std::string codes = e.f.scratch(rounding.storage(), m.depth), round = e.source.kernel(rounding.kernel());
    const int64_t rows = e.in_count(0) / m.depth;
    m.rows = 1;
    const std::string shape = matrix_shape(e, m, 1, 0, 0);
    e.f.statement("{");
    e.f.statement("    int32_t row;");
    e.f.statement(fmt::format("    for (row = 0; row < {}; ++row) {{", rows));
    e.f.statement(fmt::format("        const float scale = {}({} + row * {}, {}, {});", round, e.in(0), m.depth, codes, m.depth));
    call_product(e, "matmul", hybrid_finish(e, bias, rounding), codes, c_type(rounding.storage()), e.in(1), e.in_type(1),
                 fmt::format("{} + row * {}", e.out(), m.columns), shape);
    e.f.statement("    }");
    e.f.statement("}");
}

void emit_profile_matrix(Emit& e) {
    e.in_encoding(0) ? emit_matrix_codes(e, tflite_scaling(e.node.op->name, *e.in_encoding(0), *e.in_encoding(1))) : emit_hybrid_gemm(e);
}
void emit_micro_gemm(Emit& e) {
    emit_matrix_codes(e, e.in_encoding(1)->axis < 0 ? ProductScaling::float_product : ProductScaling::double_product);
}
void emit_onnx_matrix(Emit& e) { emit_matrix_codes(e, std::nullopt); }

void emit_real_matrix(Emit& e) {
    const MatrixCase m = matrix_case(e);
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const std::string x = e.real_in(0), w = e.real_in(1);
    std::string bias;
    if (e.node.op->name == "Gemm") {
        if (e.view.real("alpha") != 1) throw unsupported("alpha {}", e.view.real("alpha"));
        if (e.has_in(2)) {
            if (e.view.real("beta") != 1) throw unsupported("beta {}", e.view.real("beta"));
            const Dims& dims = e.in_dims(2);
            if (!dims.empty() && count_of(dims) != dims.back()) throw unsupported("a bias of {}", to_string(dims));
            bias = real_bias(e, 2, m.product.channels);
        }
    }
    call_matrix(e, m, real_finish(bias), x, "float", w, "float", e.real_out());
}

constexpr std::array rows{
    EmitRow{Kind::profile, "Conv", emit_profile_conv},    EmitRow{Kind::profile, "ConvTranspose", emit_profile_conv},
    EmitRow{Kind::profile, "Gemm", emit_profile_matrix},  EmitRow{Kind::profile, "MatMul", emit_profile_matrix},
    EmitRow{Kind::profile, "tflm:Gemm", emit_micro_gemm}, EmitRow{Kind::codes, "Conv", emit_onnx_conv},
    EmitRow{Kind::codes, "Gemm", emit_onnx_matrix},       EmitRow{Kind::codes, "MatMul", emit_onnx_matrix},
    EmitRow{Kind::real, "Conv", emit_real_conv},          EmitRow{Kind::real, "ConvTranspose", emit_real_conv},
    EmitRow{Kind::real, "Gemm", emit_real_matrix},        EmitRow{Kind::real, "MatMul", emit_real_matrix},
};

}  // namespace

std::span<const EmitRow> product_rows() { return rows; }

}  // namespace quern::cgen
