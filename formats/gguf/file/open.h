// Reading GGUF files, whole ones and split ones: NAME-00001-of-00003.gguf and so on. Keys of these: split.no (from 0), split.count,
// split.tensors.count.
#pragma once

#include "formats/gguf/file/container.h"

namespace quern::gguf {

// `path` names the file, so that the other shards of a split one are found beside it: the first one is given. Throws Exit::bad_input,
// naming the field and its byte; Exit::unsupported for versions and types that are not read.
File open(const Bytes& bytes, const std::string& path);

}  // namespace quern::gguf
