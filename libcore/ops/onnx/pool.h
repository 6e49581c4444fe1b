// The members of the pooling family that have files of their own.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

void infer_max_unpool(InferCtx& ctx);
void eval_max_unpool(EvalCtx& ctx);
void infer_max_roi_pool(InferCtx& ctx);
void eval_max_roi_pool(EvalCtx& ctx);

}  // namespace quern
