// The weights of a product in parts of 8 bits, and the biases of its sums with the zero points of both sides in them.
//
// With data x = sum over a of 256^a x_a and weights w = sum over b of 256^b w_b, the sum of their products is that over a and b of
// 256^(a + b) times the sum of x_a w_b, each of which the inner loops make of bytes (dot.h).
#pragma once

#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/weights.h"

namespace quern::codes {

class WeightParts {
   public:
    // `bias` at the scale of the sums, one a column; empty: none. `x_zero`: of the data as unsigned numbers. `joined`: in 64 bits
    // (finish_parts.cpp), as more than one part needs.
    WeightParts(const WeightLayout& layout, std::span<const PlainWeights> parts, std::span<const int64_t> bias, int64_t x_zero,
                bool joined);
    // What state() gave in another process. Throws Exit::bad_input if it does not fit.
    WeightParts(const WeightLayout& layout, std::span<const Bytes> state, size_t parts, bool joined);

    std::span<const Weights> weights() const { return weights_; }
    const WeightLayout& layout() const { return weights_[0].layout(); }
    void give_biases(FinishParameters& finish) const;
    std::vector<Bytes> state() const;

   private:
    std::vector<Weights> weights_;
    Bytes wide_bias_;  // int64, in the order of biases; empty where they are not joined
};

}  // namespace quern::codes
