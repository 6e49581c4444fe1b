// One byte of codes (packed_codes.h) to another encoding's, by a table of all 256.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/graph/encoding.h"

namespace quern::codes {

// Empty: every byte stays.
using RecodeTable = std::vector<uint8_t>;
// What dequantize() and quantize() make of each code of `from`, 8 bits and one scale on both sides.
RecodeTable recode_table(const Encoding& from, const Encoding& to);
// `count` bytes as the table has them; the two do not overlap.
void copy_codes(const uint8_t* from, uint8_t* to, int64_t count, const RecodeTable& table);

}  // namespace quern::codes
