// com.microsoft's QLinear operators: elementwise ones and the rows; products and pools have their files.
#include "libcore/ops/microsoft/quantized.h"

#include <array>
#include <cmath>

#include "libcore/graph/quantize.h"
#include "libcore/integer/pairs.h"
#include "libcore/integer/softmax.h"
#include "libcore/ops/integer/qlinear_forms.h"
#include "libcore/ops/shared/activation.h"
#include "libcore/ops/shared/code_pairs.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial_steps.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

constexpr DTypes bytes = DType::i8 | DType::u8;

const Tensor& need_bytes(EvalCtx& ctx, size_t i) {
    const Tensor& tensor = ctx.need(i);
    if (!bytes.has(tensor.dtype)) throw bad_input("input {} is {}, need int8 or uint8", i, name_of(tensor.dtype));
    return tensor;
}

// Scale and zero point of a tensor, per tensor.
struct Affine {
    float scale;
    int64_t zero;
    float real(int64_t code) const { return scale * static_cast<float>(code - zero); }
};

Affine affine(EvalCtx& ctx, size_t scale_at, size_t zero_at) {
    const QuantParams p = quant_params(ctx, scale_at, zero_at);
    return {p.scale[0], p.zero[0]};
}

int64_t code_of(float real, const Affine& to, IntRange range) { return quantize_one(real, to.scale, to.zero, range.min, range.max); }

// ---- two operands ----------------------------------------------------------------------------------------------------

void infer_qlinear_binary(InferCtx& ctx) { ctx.set(0, Type::tensor(ctx.dtype(0), broadcast(ctx.shape(0), ctx.shape(3)))); }

// `make` gives fn(code of a, code of b, least, greatest code) for the encodings of both and of the result.
template <class Make>
void eval_qlinear_binary(EvalCtx& ctx, const Make& make) {
    const Tensor &a = need_bytes(ctx, 0), &b = need_bytes(ctx, 3);
    if (a.dtype != b.dtype) throw bad_input("inputs are {} and {}, need the same", name_of(a.dtype), name_of(b.dtype));
    const auto fn = make(affine(ctx, 1, 2), affine(ctx, 4, 5), affine(ctx, 6, 7));
    const IntRange range = int_range(a.dtype);
    const auto min = static_cast<int32_t>(range.min), max = static_cast<int32_t>(range.max);
    zip_codes(ctx, a, b, a.dtype, [&](int32_t x, int32_t y) { return fn(x, y, min, max); });
}

void eval_qlinear_add(EvalCtx& ctx) {
    eval_qlinear_binary(ctx, [](Affine a, Affine b, Affine c) {
        const QLinearSum sum(a.scale, a.zero, b.scale, b.zero, c.scale, c.zero);
        return [=](int32_t x, int32_t y, int32_t low, int32_t high) { return qlinear_add(x, y, sum.a, sum.b, sum.fixed, low, high); };
    });
}

void eval_qlinear_mul(EvalCtx& ctx) {
    eval_qlinear_binary(ctx, [](Affine a, Affine b, Affine c) {
        const float ratio = a.scale * b.scale / c.scale;
        const auto za = static_cast<float>(a.zero), zb = static_cast<float>(b.zero), zc = static_cast<float>(c.zero);
        return [=](int32_t x, int32_t y, int32_t low, int32_t high) { return qlinear_multiply(x, y, za, zb, ratio, zc, low, high); };
    });
}

// ---- tables --------------------------------------------------------------------------------------------------------------

// The output code of every input code of a function of one byte, indexed from the least code.
template <class Fn>
std::array<int64_t, 256> byte_table(DType from, const Affine& x, DType to, const Affine& y, const Fn& fn) {
    const IntRange in = int_range(from), out = int_range(to);
    std::array<int64_t, 256> table{};
    for (int64_t code = in.min; code <= in.max; ++code) table[static_cast<size_t>(code - in.min)] = code_of(fn(x.real(code)), y, out);
    return table;
}

template <class Fn>
void eval_byte_function(EvalCtx& ctx, const Fn& fn) {
    const Tensor& x = need_bytes(ctx, 0);
    const auto table = byte_table(x.dtype, affine(ctx, 1, 2), x.dtype, affine(ctx, 3, 4), fn);
    const int64_t min = int_range(x.dtype).min;
    const Numbers<int64_t> in(x);
    NumbersOut<int64_t> out(ctx, 0, x.dtype, x.dims);
    for (size_t i = 0; i < in.size(); ++i) out[i] = table[static_cast<size_t>(in[i] - min)];
}

void eval_qlinear_sigmoid(EvalCtx& ctx) {
    eval_byte_function(ctx, [](float x) { return act::sigmoid(x); });
}

void eval_qlinear_leaky_relu(EvalCtx& ctx) {
    const float alpha = ctx.real("alpha");
    eval_byte_function(ctx, [alpha](float x) { return act::leaky_relu(x, alpha); });
}

// ---- Where and Concat ------------------------------------------------------------------------------------------------------

void infer_qlinear_where(InferCtx& ctx) {
    ctx.set(0, Type::tensor(ctx.dtype(1), broadcast(broadcast(ctx.shape(0), ctx.shape(1)), ctx.shape(4))));
}

void eval_qlinear_where(EvalCtx& ctx) {
    const Tensor &condition = ctx.need(0), &x = need_bytes(ctx, 1), &y = need_bytes(ctx, 4);
    if (condition.dtype != DType::boolean) throw bad_input("input 0 is {}, need bool", name_of(condition.dtype));
    if (x.dtype != y.dtype) throw bad_input("inputs are {} and {}, need the same", name_of(x.dtype), name_of(y.dtype));
    const Affine to = affine(ctx, 7, 8);
    const auto same = [](float real) { return real; };
    const auto of_x = byte_table(x.dtype, affine(ctx, 2, 3), x.dtype, to, same),
               of_y = byte_table(x.dtype, affine(ctx, 5, 6), x.dtype, to, same);
    const Dims dims = broadcast(broadcast(condition.dims, x.dims), y.dims);
    const BroadcastIndex at_c(condition.dims, dims), at_x(x.dims, dims), at_y(y.dims, dims);
    const Numbers<int64_t> take(condition), a(x), b(y);
    const int64_t min = int_range(x.dtype).min;
    NumbersOut<int64_t> out(ctx, 0, x.dtype, dims);
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = take[at_c(i)] ? of_x[static_cast<size_t>(a[at_x(i)] - min)] : of_y[static_cast<size_t>(b[at_y(i)] - min)];
}

void infer_qlinear_concat(InferCtx& ctx) {
    Shape out = ctx.shape(2);
    if (!out.ranked) return ctx.set(0, Type::tensor(ctx.dtype(1)));
    const size_t axis = normal_axis(ctx.integer("axis"), out.rank());
    int64_t total = 0;
    for (size_t i = 2; i < ctx.in_count(); i += 3) {
        const Shape& shape = ctx.shape(i);
        if (shape.ranked && shape.rank() != out.rank()) throw bad_input("input {} is {}, need rank {}", i, to_string(shape), out.rank());
        total = total >= 0 && shape.ranked && shape.dims[axis].known() ? total + shape.dims[axis].value : -1;
    }
    out.dims[axis] = total >= 0 ? Dim::of(total) : Dim::unknown();
    ctx.set(0, Type::tensor(ctx.dtype(1), std::move(out)));
}

void eval_qlinear_concat(EvalCtx& ctx) {
    const Tensor& zero = need_bytes(ctx, 1);
    if (ctx.in_count() < 5 || (ctx.in_count() - 2) % 3 != 0) throw bad_input("has {} inputs, need 2 and three a tensor", ctx.in_count());
    Dims dims = ctx.need(2).dims;
    const size_t axis = normal_axis(ctx.integer("axis"), dims.size());
    dims[axis] = 0;
    for (size_t i = 2; i < ctx.in_count(); i += 3) {
        const Dims& piece = need_bytes(ctx, i).dims;
        for (size_t d = 0; d < dims.size(); ++d)
            if (piece.size() != dims.size() || (d != axis && piece[d] != dims[d]))
                throw bad_input("input {} is {}, which does not fit {}", i, to_string(piece), to_string(ctx.need(2).dims));
        dims[axis] += piece[axis];
    }
    const Affine to = affine(ctx, 0, 1);
    NumbersOut<int64_t> out(ctx, 0, zero.dtype, dims);
    const auto inner = static_cast<size_t>(strides_of(dims)[axis]), row = inner * static_cast<size_t>(dims[axis]);
    size_t offset = 0;
    for (size_t i = 2; i < ctx.in_count(); i += 3) {
        const Tensor& piece = ctx.need(i);
        const auto table = byte_table(piece.dtype, affine(ctx, i + 1, i + 2), zero.dtype, to, [](float real) { return real; });
        const int64_t min = int_range(piece.dtype).min;
        const Numbers<int64_t> in(piece);
        const size_t width = inner * static_cast<size_t>(piece.dims[axis]);
        for (size_t k = 0; k < in.size(); ++k) out[k / width * row + offset + k % width] = table[static_cast<size_t>(in[k] - min)];
        offset += width;
    }
}

// ---- Softmax ---------------------------------------------------------------------------------------------------------------

void eval_qlinear_softmax(EvalCtx& ctx) {
    const Tensor& x = need_bytes(ctx, 0);
    const Affine from = affine(ctx, 1, 2), to = affine(ctx, 3, 4);
    if (!(to.scale > 1e-6f)) throw bad_input("output scale is {}, need at least 1e-6", to.scale);
    const size_t axis = normal_axis(ctx.integer("axis"), x.dims.size());
    const bool flat = ctx.integer("opset") < 13;  // before 13 all dims from the axis on are one
    size_t step = 1, length = static_cast<size_t>(x.dims[axis]);
    for (size_t i = axis + 1; i < x.dims.size(); ++i) (flat ? length : step) *= static_cast<size_t>(x.dims[i]);
    NumbersOut<int64_t> out(ctx, 0, x.dtype, x.dims);
    if (out.size() == 0) return;
    const Numbers<int64_t> codes(x);
    const auto table = qlinear_exponentials(from.scale, static_cast<int64_t>(length));
    const auto number = [](auto x) { return to_int32(static_cast<int64_t>(x)); };
    const IntRange range = int_range(x.dtype);
    qlinear_softmax(codes.span().data(), out.span().data(), number(out.size() / (length * step)), number(length), number(step),
                    table.data(), static_cast<uint32_t>(std::floor(1.0f / to.scale)), number(to.zero), number(range.min),
                    number(range.max));
}

// ---- rows ------------------------------------------------------------------------------------------------------------------

constexpr std::string_view microsoft = "com.microsoft";
constexpr std::array alpha_attrs{AttrDef{"alpha", AttrKind::real, "0.01"}};
constexpr std::array softmax_attrs{AttrDef{"axis", AttrKind::integer, "-1"}, AttrDef{"opset", AttrKind::integer, "13"}};
constexpr std::array concat_attrs{AttrDef{"axis", AttrKind::integer, "", true}};
constexpr std::array global_attrs{AttrDef{"channels_last", AttrKind::integer, "0"}};
using namespace window_attrs;
constexpr std::array pool_attrs{auto_pad, ceil_mode, AttrDef{"channels_last", AttrKind::integer, "0"}, count_include_pad, kernel_shape,
                                pads,     strides};
constexpr std::array gemm_attrs{
    AttrDef{"alpha", AttrKind::real, "1"},
    AttrDef{"transA", AttrKind::integer, "0"},
    AttrDef{"transB", AttrKind::integer, "0"},
};
constexpr std::array nbits_attrs{
    AttrDef{"K", AttrKind::integer, "", true},          AttrDef{"N", AttrKind::integer, "", true},
    AttrDef{"accuracy_level", AttrKind::integer, "0"},  AttrDef{"bits", AttrKind::integer, "4"},
    AttrDef{"block_size", AttrKind::integer, "", true}, AttrDef{"weight_prepacked", AttrKind::integer, "0"},
};

constexpr std::array table_attrs{
    AttrDef{"bits", AttrKind::integer, "4"},
    AttrDef{"block_size", AttrKind::integer, "128"},
    AttrDef{"gather_axis", AttrKind::integer, "0"},
    AttrDef{"quantize_axis", AttrKind::integer, "1"},
};

constexpr std::array lstm_attrs{
    AttrDef{"activation_alpha", AttrKind::reals},    AttrDef{"activation_beta", AttrKind::reals},
    AttrDef{"activations", AttrKind::texts},         AttrDef{"clip", AttrKind::real},
    AttrDef{"direction", AttrKind::text, "forward"}, AttrDef{"hidden_size", AttrKind::integer},
    AttrDef{"input_forget", AttrKind::integer, "0"},
};
Cost lstm_cost(const CostCtx& ctx) {
    if (ctx.in.size() < 3 || ctx.in[0].size() != 3) return {.macs = 0, .bytes = moved_bytes(ctx)};
    const double rows = static_cast<double>(ctx.in[0][0]) * static_cast<double>(ctx.in[0][1]);
    return {.macs = rows * (elements(ctx.in[1]) + elements(ctx.in[2])), .bytes = moved_bytes(ctx)};
}
constexpr std::array attention_attrs{
    AttrDef{"do_rotary", AttrKind::integer, "0"},        AttrDef{"mask_filter_value", AttrKind::real, "-10000"},
    AttrDef{"num_heads", AttrKind::integer, {}, true},   AttrDef{"past_present_share_buffer", AttrKind::integer, "0"},
    AttrDef{"rotary_embedding", AttrKind::integer, "0"}, AttrDef{"scale", AttrKind::real},
    AttrDef{"unidirectional", AttrKind::integer, "0"},
};
constexpr Op microsoft_op(std::string_view name, Arity in, std::span<const AttrDef> attrs, void (*infer)(InferCtx&), void (*eval)(EvalCtx&),
                          Cost (*cost)(const CostCtx&), std::string_view doc, DTypes types = bytes) {
    return {.name = name,
            .domain = microsoft,
            .in = in,
            .attrs = attrs,
            .types = types,
            .infer = infer,
            .eval = eval,
            .cost = cost,
            .doc = doc};
}
constexpr std::array quantized_table{
    quantize_linear("QuantizeLinear", microsoft),
    dequantize_linear("DequantizeLinear", microsoft),
    microsoft_op("QLinearAdd", {7, 8}, {}, infer_qlinear_binary, eval_qlinear_add, cost_elementwise, "sum of codes, requantized"),
    microsoft_op("QLinearMul", {7, 8}, {}, infer_qlinear_binary, eval_qlinear_mul, cost_elementwise, "product of codes, requantized"),
    microsoft_op("QLinearSigmoid", {4, 5}, {}, infer_same, eval_qlinear_sigmoid, cost_elementwise, "sigmoid of codes, by table"),
    microsoft_op("QLinearLeakyRelu", {4, 5}, alpha_attrs, infer_same, eval_qlinear_leaky_relu, cost_elementwise,
                 "LeakyRelu of codes, by table"),
    microsoft_op("QLinearSoftmax", {5, 5}, softmax_attrs, infer_same, eval_qlinear_softmax, cost_elementwise,
                 "softmax of codes in integers"),
    Op{.name = "QLinearConcat",
       .domain = microsoft,
       .in = {5, 5},
       .attrs = concat_attrs,
       .traits = Trait::variadic_in,
       .types = DType::f32,
       .infer = infer_qlinear_concat,
       .eval = eval_qlinear_concat,
       .cost = cost_movement,
       .doc = "concatenation of codes in one encoding"},
    microsoft_op("QLinearWhere", {9, 9}, {}, infer_qlinear_where, eval_qlinear_where, cost_elementwise,
                 "selection of codes in one encoding", DType::boolean),
    microsoft_op("QLinearAveragePool", {4, 5}, pool_attrs, infer_qlinear_average_pool, eval_qlinear_average_pool, cost_reading,
                 "average pool of codes"),
    microsoft_op("QLinearGlobalAveragePool", {5, 5}, global_attrs, infer_qlinear_global_average_pool, eval_qlinear_global_average_pool,
                 cost_reading, "average of all pixels of codes"),
    microsoft_op("QGemm", {6, 9}, gemm_attrs, infer_qgemm, eval_qgemm, matrix_cost, "Gemm of codes, requantized or as float32"),
    microsoft_op("MatMulIntegerToFloat", {4, 7}, {}, infer_matmul_integer_to_float, eval_matmul_integer_to_float, matrix_cost,
                 "matrix product of codes as float32"),
    microsoft_op("DynamicQuantizeMatMul", {3, 5}, {}, infer_dynamic_quantize_matmul, eval_dynamic_quantize_matmul, matrix_cost,
                 "matrix product, input quantized at run time", DType::f32),
    Op{.name = "QAttention",
       .domain = microsoft,
       .in = {5, 9},
       .out = {1, 2},
       .attrs = attention_attrs,
       .types = bytes,
       .infer = infer_qattention,
       .eval = eval_qattention,
       .cost = matrix_cost,
       .doc = "Attention whose input projection is a product of codes"},
    Op{.name = "DynamicQuantizeLSTM",
       .domain = microsoft,
       .in = {3, 12},
       .out = {0, 3},
       .attrs = lstm_attrs,
       .types = DType::f32,
       .infer = infer_dynamic_lstm,
       .eval = eval_dynamic_lstm,
       .cost = lstm_cost,
       .doc = "LSTM whose weights are codes, input and state quantized at run time"},
    microsoft_op("MatMulNBits", {3, 6}, nbits_attrs, infer_matmul_nbits, eval_matmul_nbits, matrix_cost,
                 "matrix product with weights of 2, 4 or 8 bits in blocks", DType::f32 | DType::f16),
    microsoft_op("GatherBlockQuantized", {3, 4}, table_attrs, infer_gather_block_quantized, eval_gather_block_quantized, cost_reading,
                 "slices of a table of codes of 2, 4 or 8 bits in blocks, as numbers", DType::u8 | DType::i4 | DType::u4),
};

}  // namespace

std::span<const Op> contrib_quantized_ops() { return quantized_table; }

}  // namespace quern
