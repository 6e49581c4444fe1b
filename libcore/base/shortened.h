// Of a long text its ends.
#pragma once

#include <string>
#include <string_view>

namespace quern {

// Of a text of more than `max` bytes its beginning, its end and how long it is.
std::string shortened(std::string_view text, size_t max);

}  // namespace quern
