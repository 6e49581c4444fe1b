// Which nodes of a graph a provider takes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/ort/partition.h"
#include "libcore/ort/settings.h"

namespace quern::ort {

// Why the provider does not take a node, by its name; the others it takes. `units`: of each node, in program order, the number of its
// integer unit, whose nodes are taken or refused together; -1: alone.
std::map<std::string, std::string> refusals(const Graph& graph, const std::vector<int>& units, Arithmetic arithmetic,
                                            const Settings& settings);

}  // namespace quern::ort
