#pragma once

#include "formats/gguf/cursor.h"
#include "formats/gguf/metadata.h"

namespace quern::gguf {

void read_metadata(Cursor& cursor, uint64_t count, Metadata& metadata);

}  // namespace quern::gguf
