// The text form of ranges, written piece by piece so that a large sidecar is never held in memory.
#pragma once

#include <functional>

#include "libcore/base/json_fwd.h"
#include "libcore/quant/ranges/ranges.h"

namespace quern {

using TextSink = std::function<void(std::string_view)>;
using RunExtremes = std::map<uint64_t, std::pair<float, float>>;  // by sample index

// One line a value. `each` calls its argument with every value in ascending order of keys; the values of `head` are not looked at.
using RangeVisitor = std::function<void(const std::string& key, const ValueRange& value)>;
void write_ranges(const Ranges& head, const std::function<void(const RangeVisitor& visit)>& each, const TextSink& sink);
void write_ranges(const Ranges& ranges, const TextSink& sink);

Ranges read_ranges(const JsonView& json);  // throws Exit::bad_input naming the place

Ranges parse_ranges(std::string_view json);  // throws Exit::bad_input naming the place
std::string to_json(const Ranges& ranges);   // sorted keys, shortest round-trip floats

}  // namespace quern
