// The tokenizer that a file's metadata describe.
#pragma once

#include "formats/gguf/file/metadata.h"
#include "libcore/tokens/tokenizer_data.h"

namespace quern::gguf {

// nullopt: the file has none. Throws Exit::bad_input for values of other types, and for what `check` finds.
std::optional<TokenizerData> tokenizer_of(const Metadata& metadata);
// Its arrays, as metadata have them.
Metadata arrays_of(const TokenizerData& data);

}  // namespace quern::gguf
