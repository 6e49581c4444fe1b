// Numbers in groups of three from the right, as one writes thousands. No pattern of linear time says it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace quern::tokens {

// Cuts text[begin, end) before each group of three of a run of numbers (\p{N}), and behind the run's first one or two. What stands before
// a run stays with its first group, as in llama.cpp.
void groups_of_numbers(std::u32string_view text, size_t begin, size_t end, std::vector<size_t>& ends);
// Cuts before each group of three of a run of the digits 0 to 9.
void groups_of_digits(std::u32string_view text, size_t begin, size_t end, std::vector<size_t>& ends);

}  // namespace quern::tokens
