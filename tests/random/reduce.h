// Smaller graphs that fail in the same way: the first one is nobody's to read.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "libcore/conformance/grow.h"

namespace quern::random_graphs {

using Fails = std::function<bool(const RandomGraph&)>;

// Drops outputs and nodes, makes inputs of results, shrinks dims, drops attributes and encodings, as long as `fails` says yes (asked
// at most `most` times).
RandomGraph reduced(RandomGraph drawn, const Fails& fails, size_t most = 2000);

// Without a node: its results are inputs, with the numbers that they have in a run. Nothing if it cannot be.
std::optional<RandomGraph> without(const RandomGraph& drawn, NodeId id);

// The text form with the sample in the metadata, and back.
std::string text_with_sample(const RandomGraph& drawn);
RandomGraph from_text(std::string_view text);

}  // namespace quern::random_graphs
