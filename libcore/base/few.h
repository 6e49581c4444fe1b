// What messages take of a file is bounded: of a long text its ends, of a long list its first items.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quern {

// Of a text of more than `most` bytes its beginning, its end and how long it is.
std::string shortened(std::string_view text, size_t most);

// A line of a message: what a terminal can show, of a very long text its ends.
std::string one_line(std::string_view text);

inline constexpr size_t few = 5;
// The first items, and how many more there are.
std::vector<std::string> few_of(std::vector<std::string> items);

}  // namespace quern
