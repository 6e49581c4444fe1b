// Files of samples as the user names them.
#pragma once

#include <string>

#include "libcore/base/bytes.h"

namespace quern {

// As map_input(). A pipe can be read once, and is asked for its kind, its shape and its numbers: what it had stays.
Bytes map_sample(const std::string& path);
bool is_pipe(const std::string& path);

}  // namespace quern
