// Encodings spelled as ONNX nodes, for files that say them so.
#pragma once

#include <string_view>

#include "libcore/graph/graph.h"

namespace quern {

// Rewrites `graph` and its bodies so that no value carries an encoding:
//   "qdq"        QuantizeLinear and DequantizeLinear around every encoded value, codes and DequantizeLinear for constants;
//   "qoperator"  the same, then operators on codes wherever there is one and every side has an encoding: QLinearConv and QLinearMatMul,
//                QGemm and the QLinear operators of com.microsoft, movement of codes instead of numbers.
// Dynamic encodings become DynamicQuantizeLinear with MatMulInteger or ConvInteger behind it where a MatMul, Gemm or Conv reads them and
// its other operand has codes of 8 bits. `opset` says what may be used: per channel needs 13; 16- and 4-bit codes need 21, or
// com.microsoft's operators below. Inputs and outputs stay float values, or as `stored` says are what they are stored as. Throws
// Exit::unsupported naming the value.
struct StoredEnds {
    bool inputs = false, outputs = false;
};
void lower_encodings(Graph& graph, std::string_view form, int opset, StoredEnds stored = {});

// Used by lower_encodings: DequantizeLinear, operator, [Relu or Clip], QuantizeLinear as one operator on codes.
void join_qoperators(Graph& graph, int opset);

// Used by lower_encodings: Recode to a dynamic encoding and its readers.
void lower_dynamic(Graph& graph);

}  // namespace quern
