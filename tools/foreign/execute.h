// The helper's part of libcore/backend/run_protocol.h: an outside back end runs here for a tool.
#pragma once

namespace quern {

// Serves the tool at the other end of the socket until it says so or is gone. Returns only if there is none.
int execute_backend();

}  // namespace quern
