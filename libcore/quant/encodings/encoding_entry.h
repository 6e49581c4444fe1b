// The fixed encodings of a graph's values as files of encodings list them: what their writers and comparisons begin with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

struct EncodingEntry {
    std::string key;  // "node/body/name"
    bool param;       // of a constant
    Encoding encoding;
    Dims dims;                          // of the value; empty where they are not fixed
    std::optional<Tensor> blocks = {};  // of a format: scales are in there until they are asked for
    Encoding blocks_as = {};
    std::vector<float> scale = {};   // of filled()
    std::vector<int64_t> zero = {};  // one per scale

    int bits() const { return bits_of(encoding.storage); }
    bool is_signed() const { return kind_of(encoding.storage) == NumberKind::signed_int; }
    bool symmetric() const { return is_signed() && encoding.symmetric(); }
    // With its numbers, which of weights in blocks of a format are many; their blocks are released.
    EncodingEntry filled() const;
};

struct EncodingEntries {
    std::vector<EncodingEntry> entries;  // sorted by key
    std::vector<std::string> dynamic;    // keys of values whose scales are computed at run time
    std::vector<std::string> second;     // of values that a Recode gives another encoding, of which nothing is listed
};

// Of all values of a graph and its bodies. What a Recode makes of a value without an encoding is said of that value.
EncodingEntries encoding_entries(const Graph& graph);

}  // namespace quern
