#pragma once

#include <fmt/format.h>

#include <string_view>

#include "libcore/cli/tool.h"

namespace quern {

// A line of the table: what it says, in a column of its own, and that.
inline void row(std::string_view what, std::string_view text) { print(fmt::format("{:<12}{}\n", what, text)); }

}  // namespace quern
