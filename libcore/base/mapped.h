// Which files are in use as inputs.
#pragma once

#include <string>

namespace quern {

// Is `path` a file, or a link to one, that map_input() has mapped and that something still reads?
bool is_mapped(const std::string& path);

}  // namespace quern
