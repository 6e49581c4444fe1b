// Quantizers of any number of bits, as QONNX and Brevitas write them: Quant (IntQuant) of qonnx.custom_op.general and onnx.brevitas.
#pragma once

#include <string>

#include "libcore/graph/graph.h"
#include "libcore/graph/op.h"

namespace quern {

// (round(clip(x / scale + zero point)) - zero point) * scale, of the dims of x.
bool is_quant(const Op& op);
// It becomes QuantizeLinear and DequantizeLinear (recognise/fake_quantized.h) where its parameters are constants that an encoding can say.
// False: it stays as it is.
bool spell_quant(Graph& graph, NodeId id);
// Why an operator of these domains is still there: "its scale is not a constant"; "" for other operators.
std::string why_kept(const Graph& graph, const Node& node);

}  // namespace quern
