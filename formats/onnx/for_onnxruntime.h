// Forms of what ONNX allows and onnxruntime reads otherwise, or does not load.
#pragma once

#include "libcore/graph/graph.h"

namespace quern::onnx_format {

// auto_pad of convolutions and pools as the pads that it means, where shapes are fixed: beside dilations onnxruntime refuses it, or forgets
// those. Data are channels-first.
void spell_pads(Graph& graph);

// Has the node, a convolution or pool, auto_pad beside dilations?
bool pads_beside_dilations(const Node& node);

// The optimizer of onnxruntime makes com.microsoft's operator on codes of an operator between DequantizeLinear and QuantizeLinear, also of
// one with attributes that the other has not, or takes otherwise, and of a Softmax whose results the quantized numbers do not all hold. A
// Sum of one operand behind it keeps it as it is.
void keep_off_codes(Graph& graph);

}  // namespace quern::onnx_format
