// Operand: a float32 tensor broadcast to larger dims, read in contiguous blocks of the larger one.
#pragma once

#include <span>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern::simd {

class Operand {
   public:
    // `tensor` must live as long as the operand; it must broadcast to `dims`, else Exit::bad_input.
    Operand(const Tensor& tensor, std::span<const int64_t> dims);

    // Elements [begin, begin + count) of the broadcast array: in place where they lie so in memory, else copied to `scratch`.
    const float* block(size_t begin, size_t count, float* scratch) const;

   private:
    struct Axis {
        size_t length, stride;
    };
    const float* data_;
    std::vector<Axis> axes_;  // outermost first, neighbours merged
};

}  // namespace quern::simd
