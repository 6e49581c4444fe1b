// The com.microsoft operators of float transformers and fused convolutions, as onnxruntime's CPU kernels compute them.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// norm.cpp
void infer_simplified_layer_norm(InferCtx& ctx);
void eval_simplified_layer_norm(EvalCtx& ctx);
void infer_skip_layer_norm(InferCtx& ctx);
void eval_skip_layer_norm(EvalCtx& ctx);
void eval_skip_simplified_layer_norm(EvalCtx& ctx);
void infer_embed_layer_norm(InferCtx& ctx);
void eval_embed_layer_norm(EvalCtx& ctx);

// fused.cpp
void infer_fused_matmul(InferCtx& ctx);
void eval_fused_matmul(EvalCtx& ctx);
void eval_fused_conv(EvalCtx& ctx);
void eval_fused_gemm(EvalCtx& ctx);

// ops/attention/contrib_attention.cpp
void infer_packed_attention(InferCtx& ctx);
void eval_packed_attention(EvalCtx& ctx);
void infer_multi_head_attention(InferCtx& ctx);
void eval_multi_head_attention(EvalCtx& ctx);

// ops/attention/contrib_grouped.cpp
void infer_grouped_attention(InferCtx& ctx);
void eval_grouped_attention(EvalCtx& ctx);

// ops/attention/contrib_rotary.cpp
void eval_contrib_rotary(EvalCtx& ctx);

}  // namespace quern
