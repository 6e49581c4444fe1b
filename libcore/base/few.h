// What messages take of a file is bounded: of a long text its ends, of a long list its first items.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quern {

// A line of a message: what a terminal can show, of a very long text its ends.
std::string one_line(std::string_view text);

inline constexpr size_t few = 5;
// The first items, and how many more there are.
std::vector<std::string> few_of(std::vector<std::string> items);

}  // namespace quern
