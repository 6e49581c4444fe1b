// The back ends that need no library: "cpu" (fast kernels) and "ref" (reference rows only).
#pragma once

#include <string_view>

#include "include/quern/backend.h"

namespace quern {

// nullptr: there is none of this name.
const quern_backend_api* builtin_backend(std::string_view name);

}  // namespace quern
