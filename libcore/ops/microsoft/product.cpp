// QGemm MatMulIntegerToFloat DynamicQuantizeMatMul MatMulNBits, as onnxruntime computes them.

#include "libcore/graph/quantize.h"
#include "libcore/ops/microsoft/block_weights.h"
#include "libcore/ops/microsoft/quantized.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

void need_bytes(const Tensor& tensor, size_t at) {
    if (tensor.dtype != DType::i8 && tensor.dtype != DType::u8)
        throw bad_input("input {} is {}, need int8 or uint8", at, name_of(tensor.dtype));
}

// A 2-D tensor of centered codes, transposed if asked.
struct Matrix {
    Dims dims;
    Factors items;
    void transpose() {
        items = items.swapped(1, dims[0], dims[1]);
        std::swap(dims[0], dims[1]);
    }
};

Matrix matrix_of(const Tensor& codes, std::span<const int64_t> zero, size_t zero_axis, bool transpose, size_t at) {
    need_bytes(codes, at);
    if (codes.dims.size() != 2) throw bad_input("input {} is {}, need rank 2", at, to_string(codes.dims));
    Matrix m{codes.dims, {codes, zero, zero_axis}};
    if (transpose) m.transpose();
    return m;
}

// Adds acc * scale(column) + bias to float32 output 0.
void put_products(EvalCtx& ctx, const ProductShape& shape, std::span<const int32_t> acc, float a_scale, std::span<const float> b_scale,
                  const Tensor* bias) {
    const auto n = static_cast<size_t>(shape.n);
    const auto extra = bias ? to_floats(*bias) : std::vector<float>();
    if (bias && extra.size() != n) throw bad_input("bias has {} numbers, need {}", extra.size(), n);
    const auto out = ctx.out_as<float>(0, shape.out);
    for (size_t i = 0; i < out.size(); ++i) {
        const float product = static_cast<float>(acc[i]) * (a_scale * b_scale[b_scale.size() == 1 ? 0 : i % n]);
        out[i] = bias ? product + extra[i % n] : product;
    }
}

}  // namespace

// ---- QGemm -------------------------------------------------------------------------------------------------------------

void infer_qgemm(InferCtx& ctx) {
    Shape a = ctx.shape(0), b = ctx.shape(3);
    if ((a.ranked && a.rank() != 2) || (b.ranked && b.rank() != 2))
        throw bad_input("matrices are {} and {}, need rank 2", to_string(a), to_string(b));
    if (a.ranked && ctx.integer("transA")) std::swap(a.dims[0], a.dims[1]);
    if (b.ranked && ctx.integer("transB")) std::swap(b.dims[0], b.dims[1]);
    ctx.set(0, Type::tensor(ctx.has_in(8) ? ctx.dtype(8) : DType::f32, product_shape(a, b)));
}

void eval_qgemm(EvalCtx& ctx) {
    const bool trans_b = ctx.integer("transB") != 0;
    const Tensor& b_codes = ctx.need(3);
    if (b_codes.dims.size() != 2) throw bad_input("input 3 is {}, need rank 2", to_string(b_codes.dims));
    const QuantParams pa = quant_params(ctx, 1, 2), pb = quant_params(ctx, 4, 5, b_codes.dims[trans_b ? 0 : 1]);
    const Matrix a = matrix_of(ctx.need(0), pa.zero, 0, ctx.integer("transA") != 0, 0);
    const Matrix b = matrix_of(b_codes, pb.zero, trans_b ? 0 : 1, trans_b, 3);
    const ProductShape shape = product_shape(a.dims, b.dims);
    auto acc = integer_matmul(shape, a.items, b.items);
    if (const Tensor* c = ctx.in(6)) {
        if (c->dtype != DType::i32) throw bad_input("input 6 is {}, need int32", name_of(c->dtype));
        if (broadcast(c->dims, shape.out) != shape.out)
            throw bad_input("C is {}, which does not fit {}", to_string(c->dims), to_string(shape.out));
        const BroadcastIndex at(c->dims, shape.out);
        const auto extra = c->view<int32_t>();
        for (size_t i = 0; i < acc.size(); ++i)
            acc[i] = static_cast<int32_t>(static_cast<uint32_t>(acc[i]) + static_cast<uint32_t>(extra[at(i)]));
    }
    const float alpha = ctx.real("alpha");
    std::vector<float> scales;
    for (const float scale : pb.scale) scales.push_back(alpha * pa.scale[0] * scale);
    const auto scale_at = [&](size_t i) { return scales[scales.size() == 1 ? 0 : i % scales.size()]; };
    if (!ctx.in(7)) {
        const auto out = ctx.out_as<float>(0, shape.out);
        for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(acc[i]) * scale_at(i);
        return;
    }
    const Tensor& y_zero = ctx.need(8);
    need_bytes(y_zero, 8);
    const QuantParams py = quant_params(ctx, 7, 8);
    NumbersOut<int64_t> out(ctx, 0, y_zero.dtype, shape.out);
    for (size_t i = 0; i < out.size(); ++i) out[i] = requantize(acc[i], scale_at(i) / py.scale[0], py.zero[0], int_range(y_zero.dtype));
}

// ---- MatMulIntegerToFloat, DynamicQuantizeMatMul ---------------------------------------------------------------------------

void infer_matmul_integer_to_float(InferCtx& ctx) { ctx.set(0, Type::tensor(DType::f32, product_shape(ctx.shape(0), ctx.shape(1)))); }
void infer_dynamic_quantize_matmul(InferCtx& ctx) { infer_matmul_integer_to_float(ctx); }

void eval_matmul_integer_to_float(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    need_bytes(a, 0);
    need_bytes(b, 1);
    const ProductShape shape = product_shape(a.dims, b.dims);
    const QuantParams pa = quant_params(ctx, 2, 4), pb = quant_params(ctx, 3, 5, shape.n);
    const auto acc = integer_matmul(shape, Factors(a, pa.zero), Factors(b, pb.zero, b.dims.size() - 1));
    put_products(ctx, shape, acc, pa.scale[0], pb.scale, ctx.in(6));
}

void eval_dynamic_quantize_matmul(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    need_bytes(b, 1);
    const ProductShape shape = product_shape(a.dims, b.dims);
    const Encoding e = dynamic_encoding(a, make_encoding(DType::u8, {}, {}));
    const QuantParams pb = quant_params(ctx, 2, 3, shape.n);
    const auto acc = integer_matmul(shape, Factors(quantize(a, e), to_ints(e.zero)), Factors(b, pb.zero, b.dims.size() - 1));
    put_products(ctx, shape, acc, to_floats(e.scale)[0], pb.scale, ctx.in(4));
}

// ---- MatMulNBits ---------------------------------------------------------------------------------------------------------

namespace {

// Flat, or with these dims: others of the same count lie in another order.
void need_dims(const Dims& dims, const Dims& wanted, std::string_view what) {
    if (dims.size() == wanted.size() ? dims != wanted : count_of(dims) != count_of(wanted))
        throw bad_input("{} are {}, need {}", what, to_string(dims), to_string(wanted));
}

// Forms that are not computed are carried through as they are.
void check_block_weights(InferCtx& ctx) {
    const int64_t bits = ctx.integer("bits");
    const auto dims = ctx.shape(1).concrete();
    if (!dims || ctx.dtype(1) != DType::u8 || (bits != 2 && bits != 4 && bits != 8) || ctx.integer("weight_prepacked") != 0) return;
    const BlockWeights w(ctx);
    const auto outputs = static_cast<int64_t>(w.n), blocks = static_cast<int64_t>(w.blocks);
    need_dims(*dims, {outputs, blocks, static_cast<int64_t>(w.block * w.bits / 8)}, "weights");
    if (const auto scales = ctx.has_in(2) ? ctx.shape(2).concrete() : std::nullopt) need_dims(*scales, {outputs, blocks}, "scales");
}

}  // namespace

void infer_matmul_nbits(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    check_block_weights(ctx);
    if (out.ranked) {
        if (out.dims.empty()) throw bad_input("input 0 is a scalar, need rank 1 or more");
        const int64_t depth = ctx.integer("K");
        if (out.dims.back().known() && out.dims.back().value != depth)
            throw bad_input("input 0 is {}, need a last dim of {}", to_string(out), depth);
        out.dims.back() = Dim::of(ctx.integer("N"));
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_matmul_nbits(EvalCtx& ctx) {
    const BlockWeights w(ctx);
    if (ctx.integer("weight_prepacked") != 0) throw unsupported("prepacked MatMulNBits weights");
    if (ctx.in(4)) throw unsupported("MatMulNBits with g_idx");
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    if (a.dims.empty() || a.dims.back() != static_cast<int64_t>(w.k))
        throw bad_input("input 0 is {}, need a last dim of {}", to_string(a.dims), w.k);
    const size_t blob = w.block * w.bits / 8;
    if (b.dtype != DType::u8 || b.data.size() != w.n * w.blocks * blob)
        throw bad_input("weights are {} {}, need uint8 [{},{},{}]", name_of(b.dtype), to_string(b.dims), w.n, w.blocks, blob);
    const auto scales = to_floats(ctx.need(2)), zeros = block_zeros(w, ctx.in(3));
    if (scales.size() != w.n * w.blocks) throw bad_input("{} scales, need {}", scales.size(), w.n * w.blocks);
    const auto bias = ctx.in(5) ? to_floats(*ctx.in(5)) : std::vector<float>(w.n, 0.0f);
    if (bias.size() != w.n) throw bad_input("bias has {} numbers, need {}", bias.size(), w.n);
    Dims dims = a.dims;
    dims.back() = static_cast<int64_t>(w.n);
    const Numbers<float> x(a);
    NumbersOut<float> out(ctx, 0, a.dtype, dims);
    std::vector<float> column(w.k);
    for (size_t n = 0; n < w.n; ++n) {
        for (size_t k = 0; k < w.k; ++k) {
            const size_t block = n * w.blocks + k / w.block;
            column[k] = (static_cast<float>(w.code(b.view<uint8_t>(), block * blob, k % w.block)) - zeros[block]) * scales[block];
        }
        for (size_t row = 0; row < out.size() / w.n; ++row) {
            float sum = 0;
            for (size_t k = 0; k < w.k; ++k) sum += x[row * w.k + k] * column[k];
            out[row * w.n + n] = sum + bias[n];
        }
    }
}

}  // namespace quern
