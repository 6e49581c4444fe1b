// Integer evaluation of the products (Conv, MatMul, Gemm) on encoded operands, by the onnx profile: codes minus their zero points are
// multiplied and summed exactly, the int32 bias (scale x * w) is added, and the sum is requantized as
//     clip(rint(float(sum) * (x_scale * w_scale / y_scale)) + y_zero)
// in float32, ties to even: what onnxruntime's QLinearConv and QLinearMatMul do. Without an output encoding the result is the real
// number float(sum) * (x_scale * w_scale). An operand with a dynamic encoding always gives that real number, to which a real bias is
// added and which is rounded to the output's encoding in a step of its own: what the chain DynamicQuantizeLinear, MatMulInteger, Cast,
// Mul, Add, QuantizeLinear computes.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// Can the rows work on operands as `node` has them? Integer encodings without blocks, x per tensor, w per tensor or per output
// channel; alpha and beta 1; a bias of one number per channel. Otherwise the node is computed on real numbers.
struct IntegerOperands {
    const Encoding *x = nullptr, *w = nullptr;
    size_t w_rank = 0;
    Shape bias;  // unranked: there is none
};
bool takes_integer_operands(const Node& node, const IntegerOperands& operands);

}  // namespace quern
