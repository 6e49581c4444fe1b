// The text form of ranges, written piece by piece so that a large sidecar is never held in memory.
#pragma once

#include <functional>

#include "libcore/base/json.h"
#include "libcore/quant/ranges.h"

namespace quern {

using TextSink = std::function<void(std::string_view)>;
using RunExtremes = std::map<uint64_t, std::pair<float, float>>;  // by sample index

// One line a value. `runs`, if given, supplies the per-run extremes of a key instead of ValueRange::runs.
void write_ranges(const Ranges& ranges, const TextSink& sink, const std::function<RunExtremes(const std::string& key)>& runs = {});

Ranges read_ranges(const JsonView& json);  // throws Exit::bad_input naming the place

}  // namespace quern
