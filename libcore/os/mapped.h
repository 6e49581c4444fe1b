// Which files are in use as inputs.
#pragma once

#include <string>

namespace quern {

// Is `path` a file, or a link to one, that map_input() has mapped and that something still reads?
bool is_mapped(const std::string& path);

// The name of the input that is mapped at `address`, for messages; nullptr: none is. For the handler of a signal that reading it raised.
const char* mapped_at(const void* address);

}  // namespace quern
