// Which values are numbers to the model's results, and which only make shapes, indices or integers.
#pragma once

#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

// By value: false where everything that reads it, through elementwise operators and data movement, is a cast to integers that serve as
// indices or shapes, or looks at its shape alone. Such values are neither observed nor rounded: they hold what no grid covers (logarithms
// of 0 in tables of positions).
std::vector<bool> numbers_of(const Graph& graph);

}  // namespace quern
