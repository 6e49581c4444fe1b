// Sums and products of two codes, many at a time, as their profiles' rows compute them: onnxruntime's QLinearAdd and QLinearMul
// (ops/microsoft/quantized.cpp), and those of the profiles of TensorFlow Lite (libcore/integer/sum_codes.h, multiply_codes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "libcore/graph/encoding.h"
#include "libcore/integer/multiply_t.h"
#include "libcore/integer/sum_t.h"

namespace quern::codes {

// y = a x + b y + fixed, by fused multiplications, ties to even.
struct RealSum {
    float a, b, fixed;
    RealSum(const Encoding& x, const Encoding& y, const Encoding& out);
};
// (x - a) (y - b) ratio + fixed.
struct RealProduct {
    float a, b, ratio, fixed;
    RealProduct(const Encoding& x, const Encoding& y, const Encoding& out);
};

struct PairParameters {
    std::variant<RealSum, RealProduct, sum_t, multiply_t> by;
    int32_t bias;       // of the storage: what its codes have more as unsigned bytes
    int32_t low, high;  // codes

    PairParameters(decltype(by) how, const Encoding& out);
    bool is_finite() const;  // and within 32 bits: else there is no kernel
};

// y[i] of a[i] and b[i].
void compute_pairs(const PairParameters& parameters, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t count);

}  // namespace quern::codes
