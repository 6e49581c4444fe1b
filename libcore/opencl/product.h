// Sums of products of codes and what becomes of them, by profile onnx: for matrices and convolutions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libcore/opencl/functions.h"
#include "libcore/opencl/lowering.h"

namespace quern::opencl {

// The result of a unit that begins with the node: with the limits of an activation behind it, which goes with it.
struct SumResult {
    Operand y;
    std::string options(bool wide) const;  // for kernels/sums.cl
};
SumResult sum_result(Lowering& to, const Node& node);

// One number per channel.
std::vector<float> product_scales(const Encoding& x, const Encoding& w, size_t channels);
Operand factors(Lowering& to, const std::vector<float>& scales, const Operand& y);
// What is added to the sums of each channel: the bias (nullptr: none), and `shifts` (empty: none).
Operand biases(Lowering& to, const Value* bias, const std::vector<float>& scales, bool wide, std::function<std::vector<int64_t>()> shifts);

}  // namespace quern::opencl
