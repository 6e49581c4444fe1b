// Sums and products of two codes of 8 or 16 bits, many at a time, as their profiles' rows compute them: onnxruntime's QLinearAdd and
// QLinearMul (ops/microsoft/quantized.cpp), those of the profiles of TensorFlow Lite (libcore/integer/pairs.h), and
// those of real numbers that no row takes (graph/code_loops.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "libcore/graph/encoding.h"
#include "libcore/integer/pairs.h"

namespace quern::codes {

// y = a x + b y + fixed, by fused multiplications, ties to even.
struct RealSum {
    float a, b, fixed;
    RealSum() = default;
    RealSum(const Encoding& x, const Encoding& y, const Encoding& out);
};
// (x - a) (y - b) ratio + fixed.
struct RealProduct {
    float a, b, ratio, fixed;
    RealProduct() = default;
    RealProduct(const Encoding& x, const Encoding& y, const Encoding& out);
};

// The real numbers of both, and the code of what is made of them: each step rounded in float32.
enum class RealPair : uint8_t { sum, difference, product };
struct DecodedScales {
    float a_scale, b_scale, y_scale;
    int32_t a_zero, b_zero, y_zero;
    DecodedScales() = default;
    DecodedScales(const Encoding& x, const Encoding& y, const Encoding& out);
};
template <RealPair pair>
struct Decoded : DecodedScales {
    using DecodedScales::DecodedScales;
};

struct PairParameters {
    std::variant<RealSum, RealProduct, sum_t, multiply_t, Decoded<RealPair::sum>, Decoded<RealPair::difference>, Decoded<RealPair::product>>
        by;
    bool wide;          // codes of 16 bits
    int32_t bias;       // of the storage: what its codes have more as unsigned numbers
    int32_t low, high;  // codes

    PairParameters(decltype(by) how, const Encoding& out);
    bool is_finite() const;  // and within 32 bits: else there is no kernel
};

// Codes as packed_codes.h has them: where low bytes begin, and how far on the high ones of 16 bits.
template <class Byte>
struct CodesAt {
    Byte* first;
    size_t next;
    CodesAt operator+(size_t i) const { return {first + i, next}; }
};

// y[i] of a[i] and b[i].
void compute_pairs(const PairParameters& parameters, CodesAt<const uint8_t> a, CodesAt<const uint8_t> b, CodesAt<uint8_t> y, size_t count);

}  // namespace quern::codes
