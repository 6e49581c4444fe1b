// The helper's part of libcore/backend/run_protocol.h: an outside back end runs here for a tool.
#pragma once

#include "libcore/os/confine.h"

namespace quern {

// Serves the tool at the other end of the socket until it says so or is gone, confined so and in so much memory. Returns only if there is
// none.
int execute_backend(Confined confined, uint64_t memory);

}  // namespace quern
