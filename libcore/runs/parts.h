// The parts of an output whose figures stand for themselves: the operands that a Concat joins, what a Pad lies around, or the channels of
// a product. In a sum over all of them the largest hides what became of the others.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

struct PartLayout {
    int axis = -1;                   // along which the parts lie; -1: the whole is one part
    std::vector<int64_t> ends;       // where each of them ends, ascending; empty: each index of the axis is a part, a channel
    std::vector<std::string> names;  // of the operands that are joined, by part; empty: channels
    // A Reshape has joined the axis with others: it is `extent` runs of so many numbers, again and again. 0: dims tell.
    int64_t inner = 0, extent = 0;
    // By dim [begin, end) of what a Pad lies around, which is the first part; the second is the padding.
    std::vector<std::pair<int64_t, int64_t>> inside = {};
    bool features = false;  // channels without place, as classes: they count where they differ by far

    bool given() const { return axis >= 0 || !inside.empty(); }
    // "operand "cs" (4 to 83 of axis 1)", "channel 3".
    std::string name_of(size_t part) const;
};

// Looks back from the value through elementwise operators of one operand, casts, quantization, transpositions and reshapes. Operands of
// Concat count where their extents are known; channels where a convolution or a product of matrices computes the value.
PartLayout parts_of(const Graph& graph, ValueId value);

}  // namespace quern
