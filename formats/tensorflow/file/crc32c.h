// The checksum of TensorFlow's files: CRC-32C (Castagnoli), masked so that a sum of sums differs.
#pragma once

#include <cstdint>

#include "libcore/base/bytes.h"

namespace quern::tensorflow_format {

uint32_t masked_crc32c(const Bytes& bytes);

}  // namespace quern::tensorflow_format
