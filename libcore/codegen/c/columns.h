// The width of generated text: lines that became longer, by names or by what a kernel is made of, are folded.
#pragma once

#include <string>
#include <string_view>

namespace quern::cgen {

constexpr size_t columns = 100;

// The same C, each line of at most `columns` characters as far as it can be broken: between arguments and operands, outside of brackets
// first, what follows aligned behind the bracket; behind the head of if, for or while; between the words of a comment. A comment behind
// a statement comes to stand above it.
std::string in_columns(std::string_view text);

}  // namespace quern::cgen
