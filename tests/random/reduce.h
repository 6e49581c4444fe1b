// Smaller graphs that fail in the same way: the first one is nobody's to read.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "libcore/conformance/grow.h"

namespace quern::drawn {

using Fails = std::function<bool(const Drawn&)>;

// Drops outputs and nodes, makes inputs of results, shrinks dims, drops attributes and encodings, as long as `fails` says yes (asked
// at most `most` times).
Drawn reduced(Drawn drawn, const Fails& fails, size_t most = 2000);

// Without a node: its results are inputs, with the numbers that they have in a run. Nothing if it cannot be.
std::optional<Drawn> without(const Drawn& drawn, NodeId id);

// The text form with the sample in the metadata, and back.
std::string text_with_sample(const Drawn& drawn);
Drawn from_text(std::string_view text);

}  // namespace quern::drawn
