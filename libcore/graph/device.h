// Devices of nodes: what may name one, and those of nodes that are made in a graph that is placed already.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libcore/graph/graph.h"

namespace quern {

// What a file may name a device or a back end by: 1 to 255 of letters, digits and _ - . :, never a path, which is the user's to give.
bool is_device_name(std::string_view name);
inline constexpr std::string_view device_name_rule =
    "need a name of letters, digits and _ - . : (paths are given by the user, not by files)";

// What a target may name a back end by: such a name, or one with a device of it and that one's settings, "ort:qnn,soc=57".
bool is_backend_name(std::string_view name);

// Recode nodes without device get that of the node that makes what they read, else that of a reader; others are left unchanged.
void place_recodes(Graph& graph);

// The device of all nodes by which `result` depends on `source`, and on nothing else that is not constant or an input; nodes without
// device go with the others. nullopt if they name different ones.
std::optional<std::string> device_between(const Graph& graph, ValueId result, ValueId source);

}  // namespace quern
