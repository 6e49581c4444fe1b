// Float values to quantized ones and back, by the contract of Encoding.
#pragma once

#include <algorithm>

#include "libcore/graph/encoding.h"

namespace quern {

// Quantize / dequantize a whole tensor by the onnx profile: float32 divide, round half to even, add zero, clip.
// Throws Exit::bad_input if shapes do not fit.
struct QuantizeOptions {
    bool saturate = true;          // float8 storage: overflow gives the largest value, not infinity or NaN
    DType precision = DType::f32;  // f16, bf16: the quotient is rounded to it
};
Tensor quantize(const Tensor& real, const Encoding& encoding, const QuantizeOptions& options = {});
Tensor dequantize(const Tensor& codes, const Encoding& encoding);

// A dynamic encoding with the scale and zero point that it takes on for these numbers: DynamicQuantizeLinear's rule over
// [qmin, qmax], the range always including 0.
Encoding dynamic_encoding(const Tensor& real, const Encoding& wanted);

// One element of the same contract.
inline int64_t quantize_one(float value, float scale, int64_t zero, int64_t qmin, int64_t qmax) {
    const float rounded = __builtin_rintf(value / scale);
    if (!(rounded > -3.0e9f)) return rounded == rounded ? qmin : std::min(std::max(zero, qmin), qmax);
    if (rounded > 3.0e9f) return qmax;
    return std::min(std::max(static_cast<int64_t>(rounded) + zero, qmin), qmax);
}

}  // namespace quern
