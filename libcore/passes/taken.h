// Parts of constants.
#pragma once

#include "libcore/graph/builder.h"

namespace quern {

// A constant with elements `places` of an axis of another, in codes of that one's encoding; a place may come again. none: its codes are
// packed, or in blocks.
ValueId taken(Builder& to, ValueId constant, size_t axis, const Dims& places);

}  // namespace quern
