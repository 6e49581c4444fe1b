// What the picture and the page share.
#pragma once

#include <string>

#include "libcore/base/json_fwd.h"
#include "libcore/place/report.h"

namespace quern::place {

inline std::string count_of_nodes(size_t count) { return std::to_string(count) + (count == 1 ? " node" : " nodes"); }

Json report_document(const PlacementReport& report);

// The graph for the page: a picture of its modules, and one of each module, which links lead to and from; nodes have the ids n<index>. At
// most `drawn_nodes` are in pictures.
std::string report_levels(const PlacementReport& report);
inline constexpr size_t drawn_nodes = 20'000;

}  // namespace quern::place
