// Ctrl-C and its like for programs: libquern itself leaves signals alone.
#pragma once

namespace quern {

// SIGINT, SIGTERM and SIGHUP, unless they are ignored, remove what must not stay (base/leftovers.h), and end the process as if they had not
// been caught.
void remove_leftovers_at_signals();

}  // namespace quern
