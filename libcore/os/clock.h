// Seconds of the steady clock, from a beginning that all of this process share.
#pragma once

#include <chrono>

namespace quern {

inline double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace quern
