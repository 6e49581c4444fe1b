// Gemm and MatMul: on codes by the profiles onnx and tflite, between real numbers with rounded activations (hybrid), and on real numbers.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/dots.h"
#include "libcore/graph/op_ids.h"
#include "libcore/integer/shapes.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial_steps.h"

namespace quern::cgen {
namespace {

struct MatrixCase {
    int64_t rows, depth, columns;
    std::vector<std::pair<int64_t, int64_t>> batches;  // offsets of both operands, one a matrix of the result
    int64_t a_row, a_column, w_row, w_column;
    Product product;
};

MatrixCase matrix_case(Emit& e, size_t second = 1) {
    const bool gemm = e.node.is(ops::Gemm);
    const bool flip_a = gemm && e.view.integer("transA") != 0, flip_b = gemm && e.view.integer("transB") != 0;
    Dims a = e.in_dims(0), b = e.in_dims(second);
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
    const auto n = [](int64_t number) { return static_cast<int32_t>(number); };
    const matmul_t sizes{n(batch),   n(m.rows),     n(m.depth), n(m.columns), n(a_step),
                         n(m.a_row), n(m.a_column), n(w_step),  n(m.w_row),   n(m.w_column)};
    return e.source.parameters("matmul_t", sizes, e.label("shape"));
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
    const bool blocks = finish.accumulator == "float" && !e.exact();
    each_batch(m, [&](size_t first, size_t count, int64_t a_step, int64_t w_step) {
        call_product(e, blocks ? "matmul_in_blocks" : "matmul", finish, plus(x, m.batches[first].first), x_type,
                     plus(w, m.batches[first].second), w_type, plus(y, static_cast<int64_t>(first) * m.rows * m.columns),
                     matrix_shape(e, m, static_cast<int64_t>(count), a_step, w_step));
    });
}

// One matrix times another, as a convolution over the rows by filters of one tap.
std::optional<conv_t> as_conv(const MatrixCase& m) {
    if (m.batches.size() != 1 || m.batches[0] != std::pair<int64_t, int64_t>{0, 0}) return std::nullopt;
    conv_t s{};
    s.batch = s.groups = s.in_w = s.out_w = s.kernel_h = s.kernel_w = s.stride_h = s.stride_w = s.dilation_h = s.dilation_w = 1;
    s.in_h = s.out_h = to_int32(m.rows), s.in_channels = to_int32(m.depth), s.out_channels = to_int32(m.columns);
    s.x_h = to_int32(m.a_row), s.x_c = to_int32(m.a_column), s.w_m = to_int32(m.w_column), s.w_c = to_int32(m.w_row);
    s.y_h = s.out_channels, s.y_c = 1;
    return s;
}

void emit_matrix_codes(Emit& e, std::optional<ProductScaling> tflite) {
    const MatrixCase m = matrix_case(e);
    if (const auto sizes = as_conv(m); sizes && emit_dots(e, *sizes, m.product, tflite)) return;
    const Weights w = weight_codes(e, 1);
    const bool dynamic = !tflite && has_dynamic_operand(e);
    const Finish finish = tflite    ? tflite_finish(e, m.product, w.zero, *tflite)
                          : dynamic ? dynamic_finish(e, m.product, w.zero)
                                    : onnx_finish(e, m.product, w.zero);
    call_matrix(e, m, finish, e.in(0), e.in_type(0), w.at, w.type, tflite || (!dynamic && e.out_encoding()) ? e.out() : e.real_out());
}

// Row by row; one matrix of weights for all batches.
void emit_hybrid_gemm(Emit& e) {
    MatrixCase m = matrix_case(e);
    const Rounding rounding{!e.view.has(asymmetric_key), false};
    const std::string bias = e.node.is(ops::Gemm) ? real_bias(e, 2, m.product.channels) : "";
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
    emit_matrix_codes(e, e.in_encoding(1)->per_tensor() ? ProductScaling::float_product : ProductScaling::double_product);
}
void emit_onnx_matrix(Emit& e) { emit_matrix_codes(e, std::nullopt); }

// alpha * sum + beta * C, which is broadcast.
Finish general_finish(Emit& e) {
    Finish finish = real_finish("");
    finish.variant = e.has_in(2) ? "scaled_and_added" : "scaled";
    finish.parameters = "float alpha";
    finish.expression = "alpha * sum";
    finish.arguments.push_back(c_float(e.view.real("alpha")));
    if (!e.has_in(2)) return finish;
    const auto steps = broadcast_steps(e.in_dims(2), e.out_dims());
    finish.parameters += ", float beta, const float* bias, int32_t bias_row, int32_t bias_column";
    finish.expression += " + beta * bias[i * bias_row + channel * bias_column]";
    finish.arguments.insert(finish.arguments.end(), {c_float(e.view.real("beta")), e.real_in(2), text_of(steps[0]), text_of(steps[1])});
    return finish;
}

void emit_real_matrix(Emit& e) {
    const MatrixCase m = matrix_case(e);
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const std::string x = e.real_in(0), w = e.real_in(1);
    std::string bias;
    if (e.node.is(ops::Gemm)) {
        const bool factors = e.view.real("alpha") != 1 || (e.has_in(2) && e.view.real("beta") != 1);
        const Dims dims = e.has_in(2) ? e.in_dims(2) : Dims();
        if (factors || (e.has_in(2) && (dims.empty() || count_of(dims) != m.columns)))
            return call_matrix(e, m, general_finish(e), x, "float", w, "float", e.real_out());
        bias = real_bias(e, 2, m.product.channels);
    }
    call_matrix(e, m, real_finish(bias), x, "float", w, "float", e.real_out());
}

// Scales and zero points are inputs of the node.
void emit_matrix_of_codes(Emit& e) {
    const bool requantized = e.node.is(ops::QLinearMatMul);
    const size_t second = requantized ? 3 : 1;
    const MatrixCase m = matrix_case(e, second);
    const Finish finish = requantized ? qlinear_finish(e, m.product) : integer_finish(e, m.product);
    call_matrix(e, m, finish, e.in(0), e.in_type(0), e.in(second), e.in_type(second), e.out());
}

constexpr std::array matrix_table{
    EmitRow{Kind::real, "MatMulInteger", emit_matrix_of_codes},
    EmitRow{Kind::real, "QLinearMatMul", emit_matrix_of_codes},
    EmitRow{Kind::profile, "Gemm", emit_profile_matrix},
    EmitRow{Kind::profile, "MatMul", emit_profile_matrix},
    EmitRow{Kind::profile, "tflm:Gemm", emit_micro_gemm},
    EmitRow{Kind::codes, "Gemm", emit_onnx_matrix},
    EmitRow{Kind::codes, "MatMul", emit_onnx_matrix},
    EmitRow{Kind::real, "Gemm", emit_real_matrix},
    EmitRow{Kind::real, "MatMul", emit_real_matrix},
};

}  // namespace

std::span<const EmitRow> matrix_rows() { return matrix_table; }

}  // namespace quern::cgen
