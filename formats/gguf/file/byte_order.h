// Turning numbers from one byte order to the other. Doing it twice gives what was there.
#pragma once

#include "libcore/base/bytes.h"
#include "libcore/blocks/block_format.h"

namespace quern::gguf {

// A run of numbers of `width` bytes.
Bytes swapped_numbers(const Bytes& numbers, size_t width);

// Whole blocks of a format: the numbers in them of more than a byte. Throws Exit::unsupported for a format whose numbers are not known.
Bytes swapped_blocks(const Bytes& blocks, const BlockFormat& format);

}  // namespace quern::gguf
