// --time-limit: a process that ends itself. Models can loop without end, and a kernel cannot be asked to stop.
#pragma once

#include <string>
#include <string_view>

namespace quern {

// "30", "0.5": seconds. Throws Exit::usage.
double parse_time_limit(const std::string& text);
// From now on the process has `seconds`: then it says so, removes what must not stay (os/leftovers.h) and ends with Exit::unsupported.
void start_time_limit(double seconds, std::string_view tool);
// To be called when the work is done: either the limit does nothing any more, or it has been reached, and this does not return.
void end_time_limit();

}  // namespace quern
