// Places in texts that users write: line and column, and the line itself with a caret, for the details of an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quern {

struct LineColumn {
    size_t line = 1, column = 1;  // columns count bytes
};
LineColumn line_column(std::string_view text, size_t position);

// The line of `position` and a caret below the place; of a long line what stands around. None of an empty line.
std::vector<std::string> excerpt(std::string_view text, size_t position);

}  // namespace quern
