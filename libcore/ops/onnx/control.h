// What If, Loop and Scan say of their bodies, for what runs them and for what generates code of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// The index of the body that is attribute `name`; throws Exit::bad_input if there is none.
size_t body_named(const NodeView& view, std::string_view name);

// What is certain of a value that has either type. Throws Exit::bad_input if their element types differ.
Type common_type(const Type& a, const Type& b);

// How many of the inputs of a Scan are states, and axis and direction (0: forwards) of each scanned input and output; axes as they are
// given, which may be negative.
struct ScanPlan {
    size_t body, scans, states, outputs;
    std::vector<int64_t> in_axes, out_axes, in_back, out_back;
};
// Throws Exit::bad_input if the attributes do not fit the counts.
ScanPlan scan_plan(const NodeView& view, size_t in_count, size_t out_count);

}  // namespace quern
