// Extremes of channels of float values: from ranges that have them, else measured over the samples.
#pragma once

#include <vector>

#include "libcore/quant/algorithms/algorithm.h"

namespace quern {

struct ChannelValue {
    ValueId id;
    int axis;         // of channels
    size_t channels;  // along it
};

struct ChannelExtremes {
    std::vector<double> least, most;  // by channel; empty: there are neither ranges nor samples
    size_t rows = 0;                  // that were measured; 0: from ranges
    bool known() const { return !least.empty(); }
    double magnitude(size_t channel) const { return std::max(std::abs(least[channel]), std::abs(most[channel])); }
};

// Of each of `values`, as the graph is now. `counted`: with the number of rows, which ranges do not tell.
std::vector<ChannelExtremes> channel_extremes(const AlgorithmRun& run, const std::vector<ChannelValue>& values, bool counted = false);

}  // namespace quern
