// The members of the convolution family that have files of their own.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

void infer_conv_transpose(InferCtx& ctx);
void eval_conv_transpose(EvalCtx& ctx);
void infer_deform_conv(InferCtx& ctx);
void eval_deform_conv(EvalCtx& ctx);
void infer_causal_conv(InferCtx& ctx);
void eval_causal_conv(EvalCtx& ctx);

}  // namespace quern
