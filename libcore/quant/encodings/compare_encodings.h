// The encodings of two models or files beside each other, value by value. Limits of codes (whether the least one is used) are not
// compared: files before version 2.0.0 do not say them of weights.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/quant/types/overrides.h"

namespace quern {

// Those of a graph (encoding_entries), in the form in which a file's are read; dynamic ones have no scale. Throws Exit::unsupported
// naming weights in blocks that have minima.
Overrides overrides_of(const Graph& graph);

struct ComparedEncoding {
    std::string key;
    Override first, second;
    // "type", "bits", "sign", "symmetric", "scales" (their number), "axis", "block", "scale", "zero point"; empty: the same.
    std::vector<std::string> differs;
    double least_ratio = 1, greatest_ratio = 1;  // of second's scales to first's; 1 where they cannot be compared
    int64_t zero_difference = 0;                 // the farthest, second's less first's, both counted from the least code
};

struct EncodingsComparison {
    std::vector<ComparedEncoding> values;  // sorted by key
    std::vector<std::string> only_first, only_second;

    bool same() const;
};

// By the names of values. The signs of codes differ only where both sides say theirs: offsets of AIMET before 2.0.0 are of any sign.
EncodingsComparison compare_encodings(const Overrides& first, const Overrides& second);

// A table of those that differ, with `all` of the others, too, and a line of counts.
std::string encodings_comparison_text(const EncodingsComparison& comparison, bool all);
std::string encodings_comparison_json(const EncodingsComparison& comparison);

}  // namespace quern
