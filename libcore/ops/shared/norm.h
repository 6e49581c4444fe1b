// The members of the normalization family that have files of their own, and the statistics they share.
#pragma once

#include <cmath>

#include "libcore/graph/op.h"

namespace quern {

void infer_along_axis(InferCtx& ctx);
void eval_softmax(EvalCtx& ctx);
void eval_log_softmax(EvalCtx& ctx);
void eval_lp_normalization(EvalCtx& ctx);

void infer_layer_norm(InferCtx& ctx);
void eval_layer_norm(EvalCtx& ctx);
void infer_rms_norm(InferCtx& ctx);
void eval_rms_norm(EvalCtx& ctx);

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
