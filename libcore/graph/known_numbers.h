// What shape arithmetic knows of a graph and of its bodies: the numbers of values that nodes compute, of open shapes, too.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

using KnownNumbers = std::map<ValueId, std::vector<int64_t>>;
using NumbersOfGraphs = std::map<const Graph*, KnownNumbers>;

// Infers the types of all values and says which numbers were known on the way.
NumbersOfGraphs infer_numbers(Graph& graph);

}  // namespace quern
