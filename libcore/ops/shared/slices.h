// Cutting tensors into slices along an axis and stacking slices, for Loop, Scan and sequences.
#pragma once

#include <span>

#include "libcore/graph/tensor.h"

namespace quern {

// Slice `index` along `axis`, without that axis. Throws Exit::unsupported for packed types and strings.
Tensor slice_of(const Tensor& whole, size_t axis, int64_t index);

// Equal-shaped pieces along a new axis; throws Exit::bad_input if they differ in type or shape. Needs at least one.
Tensor stacked(std::span<const Tensor> pieces, size_t axis);

}  // namespace quern
