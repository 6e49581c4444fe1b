// Random inputs for models.
#pragma once

#include <random>

#include "libcore/graph/graph.h"

namespace quern {

// Logical numbers for an input whose shape is known: over the range of its codes, else from -1 to 1; whole numbers from 0 to 15.
Tensor random_input(const Value& value, std::mt19937& random);

}  // namespace quern
