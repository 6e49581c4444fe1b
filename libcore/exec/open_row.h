// The row of a recorded step (Recorded::Step::row) whose kernel is left to whoever restores it: another machine than the one that recorded.
#pragma once

#include <string_view>

namespace quern {

constexpr std::string_view open_row = "open";

}  // namespace quern
