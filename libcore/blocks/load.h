// Numbers from and to bytes that need not be aligned, little endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libcore/base/small_float_bits.h"
#include "libcore/blocks/inlined.h"

namespace quern::blocks {

template <class T>
QUERN_INLINED T load(const std::byte* from) {
    T number;
    std::memcpy(&number, from, sizeof number);
    return number;
}
template <class T>
QUERN_INLINED void store(std::byte* to, T number) {
    std::memcpy(to, &number, sizeof number);
}

QUERN_INLINED float half(const std::byte* from) { return bits::from_f16(load<uint16_t>(from)); }
QUERN_INLINED void store_half(std::byte* to, float number) { store(to, bits::to_f16(number)); }
QUERN_INLINED int byte_at(const std::byte* from, size_t i) { return std::to_integer<int>(from[i]); }
QUERN_INLINED std::byte as_byte(int number) { return static_cast<std::byte>(static_cast<unsigned>(number)); }

}  // namespace quern::blocks
