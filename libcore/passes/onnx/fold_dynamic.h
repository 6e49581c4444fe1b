// DynamicQuantizeLinear and the integer products behind it, as encodings of values.
#pragma once

#include "libcore/graph/graph.h"

namespace quern {

// DynamicQuantizeLinear becomes a Recode to a dynamic encoding; MatMulInteger or ConvInteger -> Cast to float32 -> Mul by both scales
// in any order becomes MatMul or Conv on the Recode's result and on constants with an integer encoding. onnxruntime's
// MatMulIntegerToFloat and DynamicQuantizeMatMul, which are the same written in one, are expanded to that. Chains that an encoding
// cannot say stay as they are. Returns the number of changes.
int fold_dynamic(Graph& graph);

}  // namespace quern
