// AdaRound: Nagel et al. 2020, "Up or Down? Adaptive Rounding for Post-Training Quantization".
//
// Each weight is rounded down or up: w = scale * clamp(floor(w / scale) + h(V) + zero), h the rectified sigmoid. V is learned by Adam over
// batches of rows so that the output behind its activation is that of the float layer; the regularizer 1 - |2h - 1|^beta, beta annealed
// from 20 to 2 after a fifth of the iterations, drives h to 0 and 1. The error is taken relative to that of rounding to nearest, so that
// the regularizer's weight does not depend on the layer's scale.
#pragma once

#include <vector>

#include "libcore/quant/algorithms/refine.h"

namespace quern {

struct AdaRoundOptions {
    size_t iterations = 1000, batch = 64;
    double rate = 0.1;       // of Adam
    double regularizer = 2;  // weight of it
};

// Codes for one output, fitted to the rows that are no judges.
std::vector<float> adaround(const Channel& channel, const AdaRoundOptions& options);

}  // namespace quern
