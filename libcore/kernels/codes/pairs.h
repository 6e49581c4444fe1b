// Sums and products of two codes as onnxruntime's QLinearAdd and QLinearMul compute them (ops/microsoft/quantized.cpp), many at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libcore/graph/encoding.h"

namespace quern::codes {

struct PairParameters {
    bool product = false;
    // Of a sum: the factors of both operands and what is added. Of a product: the operands' zero points, the factor, what is added.
    float a = 0, b = 0, ratio = 0, fixed = 0;
    int32_t bias = 0;              // of the storage
    float low = 0, high = 0;       // codes without it

    PairParameters(bool is_product, const Encoding& x, const Encoding& y, const Encoding& out);
};

// y[i] of a[i] and b[i].
void compute_pairs(const PairParameters& parameters, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t count);

}  // namespace quern::codes
