// What a text test's command printed beside what the test wants, line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace text_tests {

using Lines = std::vector<std::string>;

// "[...]" in a wanted line stands for any text.
bool matches(std::string_view want, std::string_view got);
bool matches(const Lines& want, const Lines& got);

// The fewest lines to take out of `want` ("- ") and to put in ("+ ") that make `got` of it, each with up to two lines around that are the
// same ("  "); "..." stands for others. Every line begins with `indent`.
std::string difference(const Lines& want, const Lines& got, std::string_view indent);

}  // namespace text_tests
