// The cheapest placement of a Problem on any number of devices, proven: dynamic programming over the frontier of the graph.
//
// Items are taken one after the other. What the costs of later ones depend on is the state: the devices of items that are read later, and
// for each value the devices that have it already. Of placements that reach the same state the cheapest is kept; what cannot end below a
// placement that is known is dropped (branch and bound). Items with one device take no part, chains have few states however long they are;
// graphs with many values open at once have too many, so the work is bounded.
#pragma once

#include "libcore/place/problem.h"

namespace quern::place {

struct Frontier {
    bool proven = false;  // the search came to its end: `labels` is the cheapest placement, or, if empty, the one that was known is
    Labels labels;        // cheaper than what was known
    size_t work = 0;      // states that were extended, times devices
};

inline constexpr size_t frontier_work = 200'000;  // some tens of milliseconds

// `known` is the price of a placement at hand. At most 8 devices that items may use: more are not tried.
Frontier search_frontier(const Problem& problem, Ticks known, size_t max_work = frontier_work);

}  // namespace quern::place
