// Where minus infinity is meant: attention masks put it in the place of numbers that must not count.
#pragma once

#include <set>
#include <span>
#include <string>

#include "libcore/graph/graph.h"

namespace quern {

// The keys of values that may hold minus infinity by design: those that elementwise operators and data movement make of a constant that
// holds it, and of the values with keys in `given`. Throws Exit::usage if a given key is no value of the model.
std::set<std::string> mask_values(const Graph& graph, std::span<const std::string> given = {});

}  // namespace quern
