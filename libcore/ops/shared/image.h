// Operators of the image family that have a file of their own.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

void infer_resize(InferCtx& ctx);  // resize.cpp
void eval_resize(EvalCtx& ctx);
void infer_grid_sample(InferCtx& ctx);  // grid_sample.cpp
void eval_grid_sample(EvalCtx& ctx);
void infer_affine_grid(InferCtx& ctx);
void eval_affine_grid(EvalCtx& ctx);
void infer_roi_align(InferCtx& ctx);  // roi.cpp
void eval_roi_align(EvalCtx& ctx);
void infer_non_max_suppression(InferCtx& ctx);
void eval_non_max_suppression(EvalCtx& ctx);

// Weights of the four neighbours at distances 1+t, t, 1-t, 2-t of a Keys cubic with coefficient `a`.
float cubic_weight(float distance, float a);

// One axis of a Resize: each of `out` positions is a weighted sum of `taps` of `in`, added in their order.
struct ResizeStep {
    size_t axis;
    int64_t in, out;
    size_t taps;
    std::vector<int64_t> index;
    std::vector<float> weight;
    bool outside;  // some positions take the extrapolation value instead
};
// The dims that a Resize makes of `dims`.
Dims resized_dims(const NodeView& node, const Dims& dims, const Tensor* scales, const Tensor* sizes);
// The axes that a Resize changes, one after the other; roi, scales and sizes as its inputs, nullptr if absent.
std::vector<ResizeStep> resize_steps(const NodeView& node, const Dims& dims, const Tensor* roi, const Tensor* scales, const Tensor* sizes);
// What keeps a Resize from being one that only knows the sizes of what it makes, as TFLite's operators do, which takes the same elements
// with the same weights: scales that the sizes do not have, antialiasing that smooths. Empty if nothing does. `shape` is that of its data;
// scales and sizes are nullptr where they are absent or computed in the run.
std::string beyond_sizes(const NodeView& node, const Shape& shape, const Tensor* scales, const Tensor* sizes);

}  // namespace quern
