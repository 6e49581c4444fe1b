// Biases of layers that are stored in a quantized graph.
#pragma once

#include <string>
#include <vector>

#include "libcore/quant/algorithms/layer.h"

namespace quern {

// Why a layer's bias cannot be corrected; empty: it can.
std::string why_bias_stays(const Graph& graph, const Layer& own);

// The bias that is stored becomes these numbers; what it was.
Bytes store_bias(Graph& graph, ValueId id, const std::vector<float>& numbers);

}  // namespace quern
