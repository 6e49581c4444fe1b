// Graphs that compute in float16 or bfloat16 as graphs on float32.
#pragma once

#include "libcore/graph/graph.h"

namespace quern {

// float16 or bfloat16 where an operator other than Cast computes in it, else none. The pass `to_float32` makes float32 of it.
DType computed_in_half(const Graph& graph);

}  // namespace quern
