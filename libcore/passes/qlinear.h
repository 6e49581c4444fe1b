// QLinearConv, QLinearMatMul and QGemm as what they mean: DequantizeLinear of every operand, the float operator, QuantizeLinear.
#pragma once

#include "libcore/graph/graph.h"

namespace quern {

// Expands those whose scales and zero points are constants; returns how many. The integer evaluation of the folded result is equal to
// that of the operator, code by code.
int expand_qlinear(Graph& graph);

}  // namespace quern
