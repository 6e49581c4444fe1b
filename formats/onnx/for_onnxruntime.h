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
// Sum of one operand behind it keeps it as it is; one before a product with several matrices whose columns have scales of their own, which
// it refuses on codes; one behind weights of 2 bits whose rows fill no whole bytes, or that are transposed, of which it makes MatMulNBits
// with other weights.
void keep_off_codes(Graph& graph);

// From opset 21 on the QuantizeLinear that its optimizer sets behind what moves int8 elements says int8, also when it makes all bytes
// unsigned: it refuses the file then. com.microsoft's operators, in which such pairs are, say no type.
void name_no_bytes(Graph& graph);

// Its optimizer joins a convolution whose filter is no constant and the Add that alone reads its result, also where that result is an
// output, which then nothing makes: an Identity makes the output.
void keep_outputs_made(Graph& graph);

// Recurrent layers whose sequences have the batch first, which it refuses, as those with the steps first between Transposes.
void put_steps_first(Graph& graph);

// Is the node a Resize whose corners are aligned by the exact size, where onnxruntime takes the rounded one?
bool aligns_exact_corners(const Graph& graph, const Node& node);

}  // namespace quern::onnx_format
