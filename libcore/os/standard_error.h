// Standard error: what is written there may be lost, and nothing else.
#pragma once

#include <string_view>

namespace quern {

// Writes `text` as far as it can be written: a full disk, a closed descriptor and, where SIGPIPE is ignored as programs should, a pipe
// without reader are not a failure of what is told.
void write_standard_error(std::string_view text) noexcept;

}  // namespace quern
