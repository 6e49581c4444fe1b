// Fit: the figures of one row of costs (target.h) from measured times, by numbers alone.
#pragma once

#include <span>
#include <vector>

namespace quern::place {

struct Figures {
    double call = 0, mac = 0, byte = 0;  // seconds of each; 0: it takes no time
};

struct NodeWork {
    double macs = 0, bytes = 0;
};

// A time of one node, or of several that were computed together.
struct Measured {
    double seconds = 0;           // above 0
    double others = 0;            // seconds of what no figure of the row says
    std::vector<NodeWork> nodes;  // those of the row, at least one
};

double modelled(const Figures& figures, const Measured& time);

// Figures that are 0 before stay so. One alone is the median of what the times say; several are those, none negative, with the least sum of
// squared relative errors, of which large ones count by their size alone. What the times leave open is scaled like the rest: a rate that
// they give no sign of is as it was, unless that is slower than they allow.
Figures fit_figures(std::span<const Measured> times, const Figures& before);

double median_of(std::vector<double> numbers);  // of none: 0

}  // namespace quern::place
