// Operators that a model names and nobody knows: which one was probably meant.
#pragma once

#include <string>

#include "libcore/graph/op.h"

namespace quern {

// " (did you mean "com.microsoft.Gelu"?)": the operator whose name is nearest among those of the same domain that are implemented, or the
// one of that very name in another domain; "" if there is none, or if `op` is known.
std::string did_you_mean_op(const Op& op);

}  // namespace quern
