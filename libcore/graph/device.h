// Devices of nodes that are made in a graph that is placed already.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/graph.h"

namespace quern {

// Recode nodes without device get that of the node that makes what they read, else that of a reader; others are left unchanged.
void place_recodes(Graph& graph);

// The device of all nodes by which `result` depends on `source`, and on nothing else that is not constant or an input; nodes without
// device go with the others. nullopt if they name different ones.
std::optional<std::string> device_between(const Graph& graph, ValueId result, ValueId source);

}  // namespace quern
