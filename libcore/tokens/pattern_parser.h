// From the text of a pattern to its steps.
#pragma once

#include <string_view>
#include <vector>

#include "libcore/tokens/pattern_steps.h"

namespace quern::tokens {

// Appends to `classes` and `steps`. Throws Exit::bug for what is not in the language of pattern.h.
void parse_pattern(std::string_view text, std::vector<CharClass>& classes, std::vector<PatternStep>& steps);

}  // namespace quern::tokens
