// What the quantized operator families share.
#pragma once

#include <array>

#include "libcore/graph/quantize.h"
#include "libcore/ops/shared/shared.h"

namespace quern {

// Scale and zero point of one operand of a quantized operator, per tensor or one per slice.
struct QuantParams {
    std::vector<float> scale;
    std::vector<int64_t> zero;  // as many as scales
    bool per_tensor() const { return scale.size() == 1; }
};

// Reads inputs `scale_at` and `zero_at` (which may be absent: zero 0). A count of 1 is per tensor; else it must be `length`
// (length 0: only per tensor is allowed). Throws Exit::bad_input otherwise.
QuantParams quant_params(EvalCtx& ctx, size_t scale_at, size_t zero_at, int64_t length = 0);

// Requantization as onnxruntime's QLinear kernels do it: round half to even of float32(acc) * multiplier, plus zero, clipped.
inline int64_t requantize(int32_t acc, float multiplier, int64_t zero, IntRange range) {
    return quantize_one(static_cast<float>(acc) * multiplier, 1.0f, zero, range.min, range.max);
}

// The integer products (qlinear.cpp).
void eval_qlinear_conv(EvalCtx& ctx);
void eval_conv_integer(EvalCtx& ctx);
void eval_qlinear_matmul(EvalCtx& ctx);
void eval_matmul_integer(EvalCtx& ctx);
void infer_qlinear_conv(InferCtx& ctx);
void infer_conv_integer(InferCtx& ctx);
void infer_qlinear_matmul(InferCtx& ctx);
void infer_matmul_integer(InferCtx& ctx);

Cost qlinear_conv_cost(const CostCtx& ctx);
Cost conv_integer_cost(const CostCtx& ctx);
Cost matrix_cost(const CostCtx& ctx);  // of operators whose input 0 is the left matrix

// QuantizeLinear and DequantizeLinear, which ONNX and com.microsoft share.
inline constexpr std::array quantize_attrs{
    AttrDef{"axis", AttrKind::integer, "1"},         AttrDef{"block_size", AttrKind::integer, "0"},
    AttrDef{"output_dtype", AttrKind::integer, "0"}, AttrDef{"precision", AttrKind::integer, "0"},
    AttrDef{"saturate", AttrKind::integer, "1"},
};
inline constexpr std::array dequantize_attrs{
    AttrDef{"axis", AttrKind::integer, "1"},
    AttrDef{"block_size", AttrKind::integer, "0"},
    AttrDef{"output_dtype", AttrKind::integer, "0"},
};
inline constexpr DTypes quantizable = DType::f32 | DType::f16 | DType::bf16 | DType::i32;
inline constexpr DTypes code_types =
    dtypes::float8s | dtypes::int4s | dtypes::int2s | DType::f4e2m1 | DType::i8 | DType::u8 | DType::i16 | DType::u16;
inline constexpr DTypes codes_or_i32 = code_types | DType::i32;
void infer_quantize_linear(InferCtx& ctx);
void infer_dequantize_linear(InferCtx& ctx);
void eval_quantize_linear(EvalCtx& ctx);
void eval_dequantize_linear(EvalCtx& ctx);
constexpr Op quantize_linear(std::string_view name, std::string_view domain = "") {
    return {.name = name,
            .domain = domain,
            .in = {2, 3},
            .attrs = quantize_attrs,
            .traits = Trait::monotone,
            .types = quantizable,
            .infer = infer_quantize_linear,
            .eval = eval_quantize_linear,
            .cost = cost_elementwise,
            .doc = "codes round(x / scale) + zero"};
}
constexpr Op dequantize_linear(std::string_view name, std::string_view domain = "") {
    Op row = quantize_linear(name, domain);
    row.attrs = dequantize_attrs;
    row.types = codes_or_i32;
    row.infer = infer_dequantize_linear;
    row.eval = eval_dequantize_linear;
    row.doc = "real numbers (x - zero) * scale";
    return row;
}

}  // namespace quern
