// How the sums of a product of codes become codes of its result: the numbers behind a profile's row, for its reference and for kernels.
#pragma once

#include <vector>

#include "libcore/graph/op.h"
#include "libcore/ops/integer/fixed_point.h"

namespace quern {

// A product as its encodings say it. `channels`: of the result, along which weights may have scales and the bias lies.
struct SumOperands {
    const Node& node;
    const Encoding &x, &w, &out;
    const Tensor* bias;  // nullptr: none
    const Encoding* bias_encoding;
    size_t channels;
};

// code = rounded(factor * (sum + bias)) + zero point, clipped. One factor per channel: those of `by`.
struct SumCodes {
    enum class By : uint8_t {
        floats,   // float32, ties to even (libcore/integer/rounding.h)
        fixed,    // fixed point (code_of_sum, code_of_wide_sum)
        doubles,  // double, ties away from zero (code_of_double)
    };
    By by = By::floats;
    bool wide = false;  // sums of 64 bits; else they wrap at 32
    std::vector<float> floats;
    std::vector<FixedFactor> fixed;
    std::vector<double> doubles;
    std::vector<int64_t> bias;  // at the scale of the sums, one per channel; empty: none
};

// By the profiles; numbers of scales or biases that do not fit throw Exit::bad_input. `bias` nullptr where none is wanted.
SumCodes onnx_sum_codes(const SumOperands& operands);
SumCodes tflite_sum_codes(const SumOperands& operands);
SumCodes tflm_gemm_sum_codes(const SumOperands& operands);

// Are the products of these codes summed in 64 bits?
bool has_wide_products(const Encoding& x, const Encoding& w);

}  // namespace quern
