// What a shared library asks the loader for, read from its file without opening it as one.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

// Names of its DT_NEEDED entries, in their order, of a library in ELF for 64 bits (System V ABI, chapter 5); none of other files, nor of
// what is cut off; of a table with more than 4,096 entries those are not seen that come later.
std::vector<std::string> needed_libraries(const Bytes& file);

}  // namespace quern
