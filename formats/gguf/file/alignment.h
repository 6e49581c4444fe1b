// The alignment of a GGUF file's tensors, from its metadata.
#pragma once

#include "formats/gguf/file/metadata.h"

namespace quern::gguf {

// What "general.alignment" says. Throws Exit::bad_input for others than powers of two from 8 to 1 MiB.
uint64_t alignment_of(const Metadata& metadata);

}  // namespace quern::gguf
