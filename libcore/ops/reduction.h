// Which dims a reduction takes together: those that its axes name, or for a global pool the space.
#pragma once

#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// A global pool, which keeps its dims.
inline bool pools_space(const Node& node) { return node.op->layout == Layout::spatial; }

// A flag for each of `rank` dims; `axes` is the second operand, nullptr if there is none.
std::vector<bool> reduced_axes(const Node& node, size_t rank, const Tensor* axes);

}  // namespace quern
