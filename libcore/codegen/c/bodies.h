// Bodies: what of them is known before the run - the shapes of carried values, how many rounds there are, which branch is taken.
#pragma once

#include <optional>

#include "libcore/graph/op.h"

namespace quern::cgen {

// A constant condition.
std::optional<bool> known_truth(const Graph& graph, ValueId id);

// How often the body of a Loop runs, if its condition decides nothing and its trip count is a constant.
std::optional<int64_t> known_rounds(const Graph& graph, const Node& loop);

// Does the body of a Loop hand its condition on, or is it true after each round?
bool goes_on(const Graph& body);

// Types of all values where what is carried keeps its shape: carried values get that of what they start with, results of each round and
// of branches that are known theirs, or are constants; what becomes constant thereby is folded. Whether bodies give these shapes,
// emit_control looks.
// Throws Exit::unsupported if a body cannot take the shapes.
void settle_bodies(Graph& graph);

}  // namespace quern::cgen
