// Weights that stay in blocks (Encoding::format) beside real numbers: which nodes read them as they lie.
#pragma once

#include <string_view>

#include "libcore/graph/graph.h"

namespace quern {

// Is it MatMul whose weights (input 1), or Gather whose table (input 0), is a constant in blocks?
bool reads_blocks(const Graph& graph, const Node& node);
// Why no kernel takes such a node; "" if one does: float32 data, a matrix [depth, columns] stored transposed, or a stack
// of them; rows of a table by axis 0.
std::string_view blocks_obstacle(const Graph& graph, const Node& node);

}  // namespace quern
