// The members of the convolution family that have files of their own.
#pragma once

#include <functional>

#include "libcore/graph/op.h"
#include "libcore/ops/shared/window.h"

namespace quern {

// Conv with something done to the sums, channels first, before they are stored. Not for float64.
using Finish = std::function<void(std::span<float> y, const Dims& dims)>;
void infer_conv(InferCtx& ctx);
void eval_conv_finished(EvalCtx& ctx, const Finish& finish);
Cost conv_cost(const CostCtx& ctx);

// Of a ConvTranspose: geometry and the output's spatial lengths (unknown where the input's are); `space` are the input's.
struct Spread {
    Window window;
    std::vector<Dim> out;
};
Spread spread_of(const NodeView& node, std::span<const Dim> space, const Dims& kernel);

void infer_conv_transpose(InferCtx& ctx);
void eval_conv_transpose(EvalCtx& ctx);
void infer_deform_conv(InferCtx& ctx);
void eval_deform_conv(EvalCtx& ctx);
void infer_causal_conv(InferCtx& ctx);
void eval_causal_conv(EvalCtx& ctx);

}  // namespace quern
