// A sorted table of LevelDB: keys and values in blocks with checksums.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern::tensorflow_format {

std::vector<std::pair<std::string, Bytes>> read_sorted_table(const Bytes& file);

}  // namespace quern::tensorflow_format
