// Which dims a reduction takes together: those that its axes name, or for a global pool the space.
#pragma once

#include <span>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// A global pool, which keeps its dims.
inline bool pools_space(const Node& node) { return node.op->layout == Layout::spatial; }

// A flag for each of `rank` dims; no axes are all, or none with noop_with_empty_axes.
std::vector<bool> reduced_dims(const NodeView& node, std::span<const int64_t> axes, size_t rank);
// The same, of a global pool, too; `axes` is the second operand, nullptr if there is none.
std::vector<bool> reduced_axes(const Node& node, size_t rank, const Tensor* axes);

// The dims of a walk over the results ([0]) and of one over what goes into a result ([1]), neighbours joined, with steps in elements.
struct ReductionSteps {
    Dims lengths[2], steps[2];
    ReductionSteps(const Dims& dims, const std::vector<bool>& reduced);
};

}  // namespace quern
