// The parts of an output whose figures stand for themselves: the operands that a Concat joins, or the channels of a convolution. In a sum
// over all of them the largest hides what became of the others.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

struct PartLayout {
    int axis = -1;                   // along which the parts lie; -1: the whole is one part
    std::vector<int64_t> ends;       // where each of them ends, ascending; empty: each index of the axis is a part, a channel
    std::vector<std::string> names;  // of the operands that are joined, by part; empty: channels

    bool given() const { return axis >= 0; }
    // "operand "cs" (4 to 83 of axis 1)", "channel 3".
    std::string name_of(size_t part) const;
};

// Looks back from the value through elementwise operators of one operand, casts, quantization and transpositions. Operands of Concat count
// where their extents are known; channels where a convolution computes the value and it has a place beside batch and channel.
PartLayout parts_of(const Graph& graph, ValueId value);

}  // namespace quern
