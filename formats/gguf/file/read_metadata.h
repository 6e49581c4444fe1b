// Reads the metadata of a GGUF file.
#pragma once

#include "formats/gguf/file/cursor.h"
#include "formats/gguf/file/metadata.h"

namespace quern::gguf {

void read_metadata(Cursor& cursor, uint64_t count, Metadata& metadata);

}  // namespace quern::gguf
