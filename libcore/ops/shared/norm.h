// The members of the normalization family that have files of their own, and the statistics they share.
#pragma once

#include <algorithm>
#include <cmath>

#include "libcore/graph/op.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {

void infer_along_axis(InferCtx& ctx);
void eval_softmax(EvalCtx& ctx);
void eval_log_softmax(EvalCtx& ctx);
void eval_lp_normalization(EvalCtx& ctx);

void infer_layer_norm(InferCtx& ctx);
void eval_layer_norm(EvalCtx& ctx);
void infer_rms_norm(InferCtx& ctx);
void eval_rms_norm(EvalCtx& ctx);

// Softmax of `length` numbers `step` apart. y may be x.
template <class T>
void softmax_line(const T* x, T* y, size_t step, size_t length) {
    T max = x[0];
    for (size_t i = 1; i < length; ++i) max = std::max(max, x[i * step]);
    auto sum = max - max;
    for (size_t i = 0; i < length; ++i) sum += y[i * step] = portable::exp(x[i * step] - max);
    for (size_t i = 0; i < length; ++i) y[i * step] /= sum;
}

// Mean and population variance, summed in double in the order of the items.
struct LineMoments {
    double mean = 0, variance = 0;
};
template <class T>
LineMoments moments_of(std::span<const T> items) {
    LineMoments m;
    if (items.empty()) return m;
    for (const T x : items) m.mean += x;
    m.mean /= static_cast<double>(items.size());
    for (const T x : items) m.variance += (x - m.mean) * (x - m.mean);
    m.variance /= static_cast<double>(items.size());
    return m;
}

}  // namespace quern
