// Float operators between quantized values, for runtimes that take DequantizeLinear, an operator and QuantizeLinear for one operator on
// quantized values wherever they meet.
#pragma once

#include "libcore/quant/report/report.h"
#include "libcore/quant/types/work.h"

namespace quern {

// Where such a runtime's kernel on quantized values would be wrong (recipe.h: `coarse`, `fixed`), a Clip to all that the operand can hold
// comes between: it changes no number, and the operator computes in float. Nodes that a rule has quantized are left as they are.
void keep_apart(Graph& graph, const QuantReport& report, const QuantWork& work);

}  // namespace quern
