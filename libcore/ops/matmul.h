// The members of the matrix product family that have files of their own.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

void infer_einsum(InferCtx& ctx);
void eval_einsum(EvalCtx& ctx);
Cost einsum_cost(const CostCtx& ctx);
void infer_det(InferCtx& ctx);
void eval_det(EvalCtx& ctx);

}  // namespace quern
