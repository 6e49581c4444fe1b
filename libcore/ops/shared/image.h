// Operators of the image family that have a file of their own.
#pragma once

#include <array>

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
// The axes of a linear Resize whose neighbours are mixed in one sum, as onnxruntime does it: all of a matrix or a volume, the last ones of
// a batch of pictures or volumes, those that keep their length among them; two taps each, within the input. Empty where the axes are
// resized one after the other: other modes, antialias, crops, axes that onnxruntime does not take, nothing changed.
std::vector<ResizeStep> joint_steps(const NodeView& node, const Dims& dims, const Tensor* scales, const Tensor* sizes);

// A row of the result of such axes, which is along the last one: the rows of the input that it is made of, and the weights of each: that of
// the axis before the last one, and of the one before that, 1 if there is none.
struct JointRow {
    std::array<int64_t, 4> from;
    std::array<std::array<float, 2>, 4> weight;
};

// Such axes, which follow each other.
class JointTaps {
   public:
    explicit JointTaps(std::vector<ResizeStep> steps);
    size_t axis() const { return steps_[0].axis; }
    size_t axes() const { return steps_.size(); }
    const ResizeStep& last() const { return steps_.back(); }
    int64_t rows_in() const { return rows_in_; }
    int64_t rows_out() const { return rows_out_; }
    size_t sources() const { return size_t{1} << (steps_.size() - 1); }  // rows that a row is made of, in the order in which they are added
    JointRow row(int64_t number) const;
    struct Places {
        int64_t begin, end;
    };

    // Places of a row, `inner` elements each, of sources() rows of the input.
    void mix(const JointRow& row, const std::array<const float*, 4>& sources, int64_t inner, Places places, float* to) const;
    void mix(const JointRow& row, const std::array<const double*, 4>& sources, int64_t inner, Places places, double* to) const;

   private:
    std::vector<ResizeStep> steps_;
    int64_t rows_in_ = 1, rows_out_ = 1;
};

// Gives result 0, of `dims`, which these make of operand 0: in float64 if it is, else in float32; integers are cut off, not rounded.
void mix_jointly(EvalCtx& ctx, const Dims& dims, const JointTaps& taps);

// What keeps a Resize from being one that only knows the sizes of what it makes, as TFLite's operators do, which takes the same elements
// with the same weights: scales that the sizes do not have, antialiasing that smooths. Empty if nothing does. `shape` is that of its data;
// scales and sizes are nullptr where they are absent or computed in the run.
std::string beyond_sizes(const NodeView& node, const Shape& shape, const Tensor* scales, const Tensor* sizes);

}  // namespace quern
