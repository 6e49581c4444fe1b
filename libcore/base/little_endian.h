// Numbers in files of others, the lowest byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quern {

// Of up to 4 bytes, which the text must have.
inline uint32_t little_endian(std::string_view text, size_t at, size_t bytes) {
    uint32_t number = 0;
    for (size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(text[at + i]);
    return number;
}

}  // namespace quern
