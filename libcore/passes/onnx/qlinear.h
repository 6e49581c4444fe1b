// Operators on codes as what they mean: DequantizeLinear of every operand, the float operator, QuantizeLinear.
#pragma once

#include "libcore/graph/graph.h"

namespace quern {

// Expands QLinearConv, QLinearMatMul, QGemm and com.microsoft's QLinear operators whose scales and zero points are constants, and
// movement of codes that such an operator or a QuantizeLinear makes; returns how many. The integer evaluation of the folded result is
// equal to that of the operator, code by code.
int expand_qlinear(Graph& graph);

}  // namespace quern
