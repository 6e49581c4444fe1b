// Numbers that are stored as shorter floats: a form of storage, not codes.
#pragma once

#include "libcore/graph/graph.h"

namespace quern {

// float16 or bfloat16 that stands for itself.
bool is_short_float(const Encoding& encoding);
// Has any value, bodies included, an encoding, but for constants that are stored so or in blocks of floats?
bool has_codes(const Graph& graph);

}  // namespace quern
