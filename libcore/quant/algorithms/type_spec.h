// What a type makes of a layer's weight: algorithms that change the float graph choose by it.
#pragma once

#include <optional>

#include "libcore/quant/algorithms/layer.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/quant/quantize.h"

namespace quern {

// Nothing where the type's weights are no integers.
std::optional<WeightSpec> type_spec(const Graph& graph, const Layer& layer, const Scheme& scheme, const QuantWork& work);

}  // namespace quern
