// Formats whose codes of 4 bits stand for the numbers of a table.
#pragma once

#include <array>

#include "libcore/blocks/load.h"

namespace quern::blocks {

using Table = std::array<int8_t, 16>;

// Byte j: element j, then j + n / 2.
template <size_t n>
QUERN_INLINED void read_table(const std::byte* from, const Table& table, int8_t* codes) {
    for (size_t j = 0; j < n / 2; ++j) {
        codes[j] = table[static_cast<size_t>(byte_at(from, j) & 15)];
        codes[j + n / 2] = table[static_cast<size_t>(byte_at(from, j) >> 4)];
    }
}

}  // namespace quern::blocks
