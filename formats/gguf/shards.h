// Split files: NAME-00001-of-00003.gguf and so on, whose first one is given. Keys: split.no (from 0), split.count, split.tensors.count.
#pragma once

#include "formats/gguf/container.h"

namespace quern::gguf {

// Adds the tensors of the other shards of `file`, which was read from `path`; does nothing to a whole one.
void join_shards(File& file, const std::string& path);

}  // namespace quern::gguf
