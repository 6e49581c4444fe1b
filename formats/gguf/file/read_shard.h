// One GGUF file by itself.
#pragma once

#include "formats/gguf/file/container.h"

namespace quern::gguf {

File read_shard(const Bytes& bytes);

}  // namespace quern::gguf
