// The members of the matrix product family that have files of their own.
#pragma once

#include <functional>

#include "libcore/graph/op.h"

namespace quern {

// Gemm with something done to the result before it is stored. Not for float64 and integers.
void infer_gemm(InferCtx& ctx);
void eval_gemm_finished(EvalCtx& ctx, const std::function<void(std::span<float>)>& finish);
Cost gemm_cost(const CostCtx& ctx);
Cost matmul_cost(const CostCtx& ctx);

void infer_einsum(InferCtx& ctx);
void eval_einsum(EvalCtx& ctx);
Cost einsum_cost(const CostCtx& ctx);
void infer_det(InferCtx& ctx);
void eval_det(EvalCtx& ctx);

}  // namespace quern
