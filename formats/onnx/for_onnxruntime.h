// Forms of what ONNX allows and onnxruntime reads otherwise, or does not load.
#pragma once

#include "libcore/graph/graph.h"

namespace quern::onnx_format {

// The optimizer of onnxruntime makes com.microsoft's operator on codes of an operator between DequantizeLinear and QuantizeLinear, also of
// one with attributes that the other has not, or takes otherwise. A Sum of one operand behind it keeps it as it is.
void keep_off_codes(Graph& graph);

}  // namespace quern::onnx_format
