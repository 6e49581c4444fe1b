// QuantizeLinear DequantizeLinear DynamicQuantizeLinear Recode, and the rows of the integer products (qlinear.cpp).
#include "libcore/ops/onnx/quantized.h"

#include <array>
#include <cmath>

#include "libcore/graph/check_parameters.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

int64_t block_of(const NodeView& view) {
    const int64_t block = view.integer("block_size");
    if (block < 0) throw bad_input("block_size is {}, need 0 or more", block);
    return block;
}

// The encoding that inputs 1 (scale) and 2 (zero point) and the attributes give for a tensor of this shape.
Encoding encoding_of(EvalCtx& ctx, const Dims& dims, DType storage) {
    const Tensor& scale = ctx.need(1);
    Encoding e = make_encoding(storage, scale, {});
    if (const Tensor* zero = ctx.in(2); zero && is_integer(storage)) {
        if (zero->dtype != storage) throw bad_input("zero point is {}, need {}", name_of(zero->dtype), name_of(storage));
        e.zero = *zero;
    }
    e.block = block_of(ctx);
    if (e.block == 0 && scale.count() == 1 && scale.dims.size() <= 1) return e;
    e.axis = static_cast<int>(normal_axis(ctx.integer("axis"), dims.size()));
    check_parameters(dims, e);
    return e;
}

void infer_dynamic_quantize(InferCtx& ctx) {
    ctx.set(0, Type::tensor(DType::u8, ctx.shape(0)));
    ctx.set(1, Type::tensor(DType::f32, Shape::of({})));
    ctx.set(2, Type::tensor(DType::u8, Shape::of({})));
}

void eval_dynamic_quantize(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const Encoding e = dynamic_encoding(x, make_encoding(DType::u8, {}, {}));
    ctx.give(0, quantize(x, e));
    ctx.give(1, e.scale);
    ctx.give(2, e.zero);
}

// Real numbers pass unchanged (the executor rounds what it stores encoded).
void eval_recode(EvalCtx& ctx) { ctx.give(0, ctx.need(0)); }

// Codes go from the encoding of the input to that of the output.
void eval_recode_codes(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const Encoding *from = ctx.in_encoding(0), *to = ctx.out_encoding(0);
    const Tensor real = from ? dequantize(x, *from) : x;
    ctx.give(0, to ? quantize(real, *to) : real);
}

using namespace window_attrs;
constexpr std::array conv_attrs{auto_pad, dilations, group, kernel_as_filter, pads, strides};
constexpr DTypes bytes = DType::i8 | DType::u8;

constexpr Op product_of_codes(std::string_view name, Arity in, std::span<const AttrDef> attrs, void (*infer)(InferCtx&),
                              void (*eval)(EvalCtx&), Cost (*cost)(const CostCtx&), std::string_view doc) {
    return {.name = name, .in = in, .attrs = attrs, .types = bytes, .infer = infer, .eval = eval, .cost = cost, .doc = doc};
}

constexpr std::array quantized_table{
    quantize_linear("QuantizeLinear"),
    dequantize_linear("DequantizeLinear"),
    Op{.name = "DynamicQuantizeLinear",
       .out = {3, 3},
       .types = DType::f32,
       .infer = infer_dynamic_quantize,
       .eval = eval_dynamic_quantize,
       .cost = cost_elementwise,
       .doc = "uint8 codes with scale and zero point from the data"},
    product_of_codes("QLinearConv", {8, 9}, conv_attrs, infer_qlinear_conv, eval_qlinear_conv, qlinear_conv_cost,
                     "convolution of codes, requantized"),
    product_of_codes("QLinearMatMul", {8, 8}, {}, infer_qlinear_matmul, eval_qlinear_matmul, matrix_cost,
                     "matrix product of codes, requantized"),
    product_of_codes("ConvInteger", {2, 4}, conv_attrs, infer_conv_integer, eval_conv_integer, conv_integer_cost,
                     "convolution of codes as int32"),
    product_of_codes("MatMulInteger", {2, 4}, {}, infer_matmul_integer, eval_matmul_integer, matrix_cost,
                     "matrix product of codes as int32"),
    Op{.name = "Recode",
       .domain = "quern",
       .traits = Trait::elementwise,
       .types = dtypes::all,
       .infer = infer_same,
       .eval = eval_recode,
       .quant = rules::own,
       .layout = Layout::agnostic,
       .cost = cost_elementwise,
       .doc = "the same numbers in the encoding of the output"},
};

}  // namespace

// Of a file's constants. Codes times 0 are numbers, as are those of ggml's blocks times a negative one; numbers by 0 are not codes.
void check_scale(const InferCtx& ctx, bool fits(const InferCtx& ctx, float scale)) {
    const Tensor* scale = ctx.has_in(1) ? ctx.constant(1) : nullptr;
    if (!scale || !is_float(scale->dtype)) return;
    for (const float item : to_floats(*scale))
        if (!std::isfinite(item) || !fits(ctx, item)) throw bad_input("scale is {}, need a finite one above 0", item);
}

// As far as shapes are known. A single number without blocks is for the whole tensor.
void check_parameter_shapes(const InferCtx& ctx) {
    if (!ctx.has_in(0) || !ctx.has_in(1)) return;
    const auto dims = ctx.shape(0).concrete(), scale = ctx.shape(1).concrete();
    const int64_t block = block_of(ctx);
    if (!dims || !scale || (block == 0 && count_of(*scale) == 1)) return;
    Encoding shapes{.axis = static_cast<int>(normal_axis(ctx.integer("axis"), dims->size())), .block = block};
    shapes.scale.dims = *scale;
    if (const auto zero = ctx.has_in(2) ? ctx.shape(2).concrete() : std::nullopt) shapes.zero = {DType::i8, *zero, {}};
    check_parameters(*dims, shapes);
}

bool makes_codes(const InferCtx&, float scale) { return scale > 0; }
bool makes_numbers(const InferCtx& ctx, float scale) { return scale >= 0 || ctx.integer("block_size") > 0; }

void infer_quantize_linear(InferCtx& ctx) {
    check_scale(ctx, makes_codes);
    check_parameter_shapes(ctx);
    DType dtype = ctx.has_in(2) ? ctx.dtype(2) : dtype_attr(ctx, "output_dtype", DType::u8);
    if (dtype != DType::none) {
        if (dtype_attr(ctx, "output_dtype", dtype) != dtype)
            throw bad_input("output_dtype is not the type of the zero point ({})", name_of(dtype));
        need_type(dtype, code_types, "the output");
    }
    if (ctx.dtype(0) != DType::none) need_type(ctx.dtype(0), quantizable, "input 0");
    ctx.set(0, Type::tensor(dtype, ctx.shape(0)));
}

void infer_dequantize_linear(InferCtx& ctx) {
    check_scale(ctx, makes_numbers);
    check_parameter_shapes(ctx);
    const DType dtype = dtype_attr(ctx, "output_dtype", ctx.dtype(1));
    if (ctx.dtype(0) != DType::none) need_type(ctx.dtype(0), codes_or_i32, "input 0");
    if (dtype != DType::none) need_type(dtype, DType::f32 | DType::f16 | DType::bf16, "the output");
    ctx.set(0, Type::tensor(dtype, ctx.shape(0)));
}

void eval_quantize_linear(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    need_type(x.dtype, quantizable, "input 0");
    const DType wanted = dtype_attr(ctx, "output_dtype", DType::u8);
    const DType storage = need_type(ctx.in(2) ? ctx.in(2)->dtype : wanted, code_types, "the output");
    QuantizeOptions options{.saturate = ctx.integer("saturate") != 0, .precision = dtype_attr(ctx, "precision", DType::f32)};
    if (options.precision == DType::f64) throw unsupported("division in float64");
    need_type(options.precision, DType::f32 | DType::f16 | DType::bf16, "precision");
    ctx.give(0, quantize(x, encoding_of(ctx, x.dims, storage), options));
}

void eval_dequantize_linear(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    Encoding e = encoding_of(ctx, x.dims, need_type(x.dtype, codes_or_i32, "input 0"));
    e.real = need_type(dtype_attr(ctx, "output_dtype", e.scale.dtype), DType::f32 | DType::f16 | DType::bf16, "the output");
    ctx.give(0, dequantize(x, e));
}

std::span<const Op> quantized_ops() { return quantized_table; }

namespace {
bool fits_recode(const Graph&, const Node&, const Encoding& out) { return !out.is_dynamic(); }
constexpr Takes takes_recode{fits_recode, "a fixed encoding of the result"};
constexpr std::array profile_rows{
    ProfileRow{.op = ops::own::Recode, .takes = takes_recode, .eval = eval_recode_codes, .result = ProfileRow::Result::any}};
}  // namespace

std::span<const ProfileRow> onnx_recode_rows() { return profile_rows; }

}  // namespace quern
