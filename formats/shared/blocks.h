// Blocks of space and batch: how the dims of a tensor are taken apart, reordered and put together.
#pragma once

#include <span>

#include "libcore/graph/type.h"

namespace quern {

struct Regrouping {
    Dims pads;                    // before it, of all dims; empty: none
    Dims apart, order, together;  // reshaped, transposed, reshaped; -1: the batch
    Dims starts, ends, axes;      // what is cut out behind it; empty: all stays
};

// Blocks of the dims behind the first move into it: [N, D / b, b, ...] -> [b, N, D / b, ...]. `frame` are pads before and after each dim.
// Dims behind the first have to be known.
Regrouping space_to_batch(std::span<const int64_t> dims, std::span<const int64_t> block, std::span<const int64_t> frame);
// The way back; `frame` is what is cut off.
Regrouping batch_to_space(std::span<const int64_t> dims, std::span<const int64_t> block, std::span<const int64_t> frame);

}  // namespace quern
