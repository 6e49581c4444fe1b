// The cheapest placement of a Problem.
//
// Two devices: exact, as the cheapest cut of a network (H. S. Stone, Multiprocessor scheduling with the aid of network flow algorithms,
// 1977), with a vertex for each net and direction so that a value that goes to several readers on the other device is paid once.
// More devices: alpha-expansions and alpha-beta swaps (Y. Boykov, O. Veksler, R. Zabih, Fast approximate energy minimization via graph
// cuts, 2001) until none helps. Swaps are exact; in expansions, terms that a cut cannot express are replaced by an upper bound that is
// exact for the placement at hand, so that no step makes the placement dearer. Then the frontier of the graph is searched (frontier.h),
// which gives the best and proves it if few values are open at once. Where that takes too much work, what the best takes is bounded below
// by dual decomposition into one "this device or another" cut for each device, tied together by prices that subgradient steps improve (N.
// Komodakis, N. Paragios, G. Tziritas, 2007).
#pragma once

#include <span>

#include "libcore/place/problem.h"

namespace quern::place {

struct Solution {
    Labels labels;
    Ticks price = 0;
    Ticks bound = 0;     // no placement is cheaper than this
    bool exact = false;  // bound = price was proven by the method, not met by luck

    // How much dearer than the best it can be, as a part of its price.
    double gap() const { return price > 0 ? static_cast<double>(price - bound) / static_cast<double>(price) : 0; }
};

// `starts` are placements to begin with (of heuristics): the result is never dearer than any of them. Among equally cheap cuts between two
// devices the one with the fewest items off the first device is taken.
Solution cheapest_placement(const Problem& problem, std::span<const Labels> starts = {});

}  // namespace quern::place
