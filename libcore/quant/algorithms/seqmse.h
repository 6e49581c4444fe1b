// Sequential MSE: the scales of a layer's weight by what they leave of its results, as AIMET's seq_mse does - candidates are shares of the
// range of the weights that a scale is for, the error is of the products with inputs from the quantized layers before.
#pragma once

#include <vector>

#include "libcore/quant/algorithms/refine.h"

namespace quern {

inline constexpr size_t seqmse_candidates = 20;

// Of each scale (an index of the encoding's), the candidate with the least squared error of the products over rows that are no judges. A
// block's error is of its own products. `real`: the float weight.
std::vector<float> sequential_scales(const Graph& graph, const Layer& own, const std::vector<float>& real, const LayerRows& rows,
                                     ThreadPool& pool);

}  // namespace quern
