// Checks the arrays of a tokenizer in GGUF metadata.
#pragma once

#include "formats/gguf/file/metadata.h"

namespace quern::gguf {

// The tokenizer's keys, so that their users need not look: types of values and of arrays, arrays of one length for each token, ids inside
// of the vocabulary. Throws Exit::bad_input.
void check_tokenizer(const Metadata& metadata);

}  // namespace quern::gguf
