// A target's libraries have the last word about what its devices run: place asks them before it decides.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/place/target.h"

namespace quern {

// Asks the library of each device that names one, where it is installed, about every node of the graph, in the mode in which the graph runs
// by itself; the answers are the target's as long as this graph is the one that is placed. Returns a line for each library that could not
// be asked: its file cannot be loaded, crashes, or answers wrongly. Where code of others is forbidden none is asked.
std::vector<std::string> ask_libraries(place::Target& target, const Graph& graph);

}  // namespace quern
