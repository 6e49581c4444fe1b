// QLinearConv QLinearMatMul ConvInteger MatMulInteger: int32 sums of codes, requantized as onnxruntime does.
#include <algorithm>

#include "libcore/ops/onnx/quantized.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

constexpr DTypes bytes = DType::i8 | DType::u8;

void need_bytes(const Tensor& tensor, std::string_view what) {
    if (!bytes.has(tensor.dtype)) throw bad_input("{} is {}, need int8 or uint8", what, name_of(tensor.dtype));
}

// Which scale or zero point belongs to a row (of A) or a column (of B) of a batched product.
class LineIndex {
   public:
    LineIndex(size_t count, int64_t lines, int64_t batches, std::string_view what) : lines_(static_cast<size_t>(lines)) {
        if (count == 1) return;
        per_line_ = true;
        per_batch_ = static_cast<int64_t>(count) != lines;
        if (per_batch_ && static_cast<int64_t>(count) != lines * batches)
            throw bad_input("{} has {} numbers, need 1, {} or {}", what, count, lines, lines * batches);
    }
    size_t operator()(size_t batch, size_t line) const { return per_line_ ? (per_batch_ ? batch * lines_ : 0) + line : 0; }

   private:
    size_t lines_;
    bool per_line_ = false, per_batch_ = false;
};

// A [.., m, k] less a zero point per row, or B [.., k, n] less one per column.
std::vector<int32_t> centered_lines(const Tensor& codes, std::span<const int64_t> zeros, size_t rows, size_t columns, bool by_row,
                                    const LineIndex& index) {
    const auto wide = to_ints(codes);
    std::vector<int32_t> out(wide.size());
    for (size_t i = 0; i < wide.size(); ++i) {
        const size_t line = by_row ? i / columns % rows : i % columns;
        out[i] = static_cast<int32_t>(wide[i] - zeros[index(i / (rows * columns), line)]);
    }
    return out;
}

struct Sums {
    ProductShape shape;
    LineIndex a_index, b_index;
    std::vector<int32_t> acc;
};

Sums multiply(const Tensor& a, const std::vector<int64_t>& a_zero, const Tensor& b, const std::vector<int64_t>& b_zero) {
    const ProductShape shape = product_shape(a.dims, b.dims);
    const LineIndex a_index(a_zero.size(), shape.m, count_of(shape.a_batch), "zero point of A");
    const LineIndex b_index(b_zero.size(), shape.n, count_of(shape.b_batch), "zero point of B");
    const auto m = static_cast<size_t>(shape.m), k = static_cast<size_t>(shape.k), n = static_cast<size_t>(shape.n);
    const auto x = centered_lines(a, a_zero, m, k, true, a_index);
    const auto y = centered_lines(b, b_zero, k, n, false, b_index);
    return {shape, a_index, b_index, integer_matmul(shape, x, y)};
}

std::vector<int64_t> zero_points(EvalCtx& ctx, size_t at, DType dtype) {
    const Tensor* zero = ctx.in(at);
    if (!zero) return {0};
    if (zero->dtype != dtype) throw bad_input("input {} is {}, need {}", at, name_of(zero->dtype), name_of(dtype));
    if (zero->count() == 0) throw bad_input("input {} has no elements", at);
    return to_ints(*zero);
}

// `depth` multiplications an output element.
Cost product_cost(const CostCtx& ctx, double depth) {
    return {.macs = ctx.out.empty() ? 0 : elements(ctx.out[0]) * depth, .bytes = moved_bytes(ctx)};
}

Cost conv_cost(const CostCtx& ctx, size_t filter) {
    if (filter >= ctx.in.size() || ctx.in[filter].empty() || ctx.in[filter][0] == 0) return {.macs = 0, .bytes = moved_bytes(ctx)};
    return product_cost(ctx, elements(ctx.in[filter]) / static_cast<double>(ctx.in[filter][0]));
}

}  // namespace

Cost qlinear_conv_cost(const CostCtx& ctx) { return conv_cost(ctx, 3); }
Cost conv_integer_cost(const CostCtx& ctx) { return conv_cost(ctx, 1); }

Cost matrix_cost(const CostCtx& ctx) {
    const bool transposed = ctx.node.attrs.contains("transA") && std::get_if<int64_t>(&ctx.node.attrs.at("transA")) &&
                            std::get<int64_t>(ctx.node.attrs.at("transA")) != 0;
    if (ctx.in.empty() || ctx.in[0].empty()) return {.macs = 0, .bytes = moved_bytes(ctx)};
    return product_cost(ctx, static_cast<double>(transposed ? ctx.in[0].front() : ctx.in[0].back()));
}

QuantParams quant_params(EvalCtx& ctx, size_t scale_at, size_t zero_at, int64_t length) {
    QuantParams out{to_floats(ctx.need(scale_at)), {}};
    const auto count = static_cast<int64_t>(out.scale.size());
    if (count != 1 && (length == 0 || count != length))
        throw bad_input("input {} has {} scales, need {}", scale_at, count, length ? fmt::format("1 or {}", length) : "1");
    if (const Tensor* zero = ctx.in(zero_at)) out.zero = to_ints(*zero);
    if (out.zero.empty()) out.zero = {0};
    if (out.zero.size() == 1) out.zero.resize(out.scale.size(), out.zero[0]);
    if (out.scale.size() == 1 && static_cast<int64_t>(out.zero.size()) == length) out.scale.resize(out.zero.size(), out.scale[0]);
    if (out.zero.size() != out.scale.size())
        throw bad_input("input {} has {} zero points for {} scales", zero_at, out.zero.size(), out.scale.size());
    return out;
}

void infer_conv_integer(InferCtx& ctx) { ctx.set(0, conv_type(ctx, DType::i32, ctx.shape(0), ctx.shape(1))); }

void eval_conv_integer(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &w = ctx.need(1);
    need_bytes(x, "input 0");
    need_bytes(w, "input 1");
    Dims dims;
    const Factors codes(x, zero_points(ctx, 2, x.dtype)), filter(w, zero_points(ctx, 3, w.dtype));
    const auto acc = integer_conv(ctx, x.dims, codes, w.dims, filter, dims);
    std::ranges::copy(acc, ctx.out_as<int32_t>(0, dims).begin());
}

void infer_qlinear_conv(InferCtx& ctx) { ctx.set(0, conv_type(ctx, ctx.dtype(7), ctx.shape(0), ctx.shape(3))); }

void eval_qlinear_conv(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &w = ctx.need(3), &y_zero = ctx.need(7);
    need_bytes(x, "input 0");
    need_bytes(w, "input 3");
    need_bytes(y_zero, "input 7");
    const int64_t made = w.dims.empty() ? 0 : w.dims[0];
    const QuantParams px = quant_params(ctx, 1, 2), pw = quant_params(ctx, 4, 5, made), py = quant_params(ctx, 6, 7);
    Dims dims;
    const auto acc = integer_conv(ctx, x.dims, Factors(x, px.zero), w.dims, Factors(w, pw.zero), dims);
    const auto bias = ctx.in(8) ? to_ints(*ctx.in(8)) : std::vector<int64_t>(static_cast<size_t>(made), 0);
    if (static_cast<int64_t>(bias.size()) != made) throw bad_input("bias has {} numbers, need {}", bias.size(), made);
    NumbersOut<int64_t> out(ctx, 0, y_zero.dtype, dims);
    const IntRange range = int_range(y_zero.dtype);
    const size_t plane = out.size() == 0 ? 1 : out.size() / static_cast<size_t>(dims[0] * made);
    for (size_t i = 0; i < out.size(); ++i) {
        const size_t m = i / plane % static_cast<size_t>(made);
        const float multiplier = px.scale[0] * pw.scale[pw.per_tensor() ? 0 : m] / py.scale[0];
        const auto sum = static_cast<int32_t>(static_cast<uint32_t>(acc[i]) + static_cast<uint32_t>(bias[m]));
        out[i] = requantize(sum, multiplier, py.zero[0], range);
    }
}

void infer_matmul_integer(InferCtx& ctx) { ctx.set(0, Type::tensor(DType::i32, product_shape(ctx.shape(0), ctx.shape(1)))); }

void eval_matmul_integer(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    need_bytes(a, "input 0");
    need_bytes(b, "input 1");
    const Sums product = multiply(a, zero_points(ctx, 2, a.dtype), b, zero_points(ctx, 3, b.dtype));
    std::ranges::copy(product.acc, ctx.out_as<int32_t>(0, product.shape.out).begin());
}

void infer_qlinear_matmul(InferCtx& ctx) { ctx.set(0, Type::tensor(ctx.dtype(7), product_shape(ctx.shape(0), ctx.shape(3)))); }

void eval_qlinear_matmul(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(3), &y_zero = ctx.need(7);
    need_bytes(a, "input 0");
    need_bytes(b, "input 3");
    need_bytes(y_zero, "input 7");
    const auto a_scale = to_floats(ctx.need(1)), b_scale = to_floats(ctx.need(4));
    const QuantParams py = quant_params(ctx, 6, 7);
    const auto [shape, a_index, b_index, acc] = multiply(a, zero_points(ctx, 2, a.dtype), b, zero_points(ctx, 5, b.dtype));
    const LineIndex a_line(a_scale.size(), shape.m, count_of(shape.a_batch), "scale of A");
    const LineIndex b_line(b_scale.size(), shape.n, count_of(shape.b_batch), "scale of B");
    const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
    NumbersOut<int64_t> out(ctx, 0, y_zero.dtype, shape.out);
    const IntRange range = int_range(y_zero.dtype);
    const auto m = static_cast<size_t>(shape.m), n = static_cast<size_t>(shape.n);
    for (size_t i = 0; i < out.size(); ++i) {
        const size_t batch = i / (m * n);
        const float multiplier = a_scale[a_line(at_a(batch), i / n % m)] * b_scale[b_line(at_b(batch), i % n)] / py.scale[0];
        out[i] = requantize(acc[i], multiplier, py.zero[0], range);
    }
}

}  // namespace quern
