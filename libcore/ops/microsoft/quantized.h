// Quantized com.microsoft operators that have a file of their own.
#pragma once

#include "libcore/ops/onnx/quantized.h"

namespace quern {

// product.cpp
void infer_qgemm(InferCtx& ctx);
void eval_qgemm(EvalCtx& ctx);
void infer_matmul_integer_to_float(InferCtx& ctx);
void eval_matmul_integer_to_float(EvalCtx& ctx);
void infer_dynamic_quantize_matmul(InferCtx& ctx);
void eval_dynamic_quantize_matmul(EvalCtx& ctx);
void infer_matmul_nbits(InferCtx& ctx);
void eval_matmul_nbits(EvalCtx& ctx);

// coded_table.cpp
void infer_gather_block_quantized(InferCtx& ctx);
void eval_gather_block_quantized(EvalCtx& ctx);

// attention.cpp
void infer_qattention(InferCtx& ctx);
void eval_qattention(EvalCtx& ctx);

// lstm.cpp
void infer_dynamic_lstm(InferCtx& ctx);
void eval_dynamic_lstm(EvalCtx& ctx);

// qpool.cpp
void infer_qlinear_average_pool(InferCtx& ctx);
void eval_qlinear_average_pool(EvalCtx& ctx);
void infer_qlinear_global_average_pool(InferCtx& ctx);
void eval_qlinear_global_average_pool(EvalCtx& ctx);

}  // namespace quern
