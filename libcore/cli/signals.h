// Ctrl-C and its like for programs: libquern itself leaves signals alone.
#pragma once

namespace quern {

// SIGINT, SIGTERM and SIGHUP, unless they are ignored, remove what must not stay (os/leftovers.h), and end the process as if they had not
// been caught.
void remove_leftovers_at_signals();

// A mapped input that another process cuts short raises SIGBUS in whoever reads it: from now on that ends `tool` with Exit::io and a line
// that names the file, after the same removal.
void end_where_an_input_changes(const char* tool);

}  // namespace quern
