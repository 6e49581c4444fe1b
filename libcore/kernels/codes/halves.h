// Panels of 16-bit numbers, where the machine has no exact product of bytes: [steps][even, odd][count] pairs of codes.
#pragma once

#include <cstdint>
#include <cstring>

namespace quern::codes {

// The four codes from `k` on of each row.
inline void gather_step(const uint8_t* const* rows, int count, int k, int32_t* to) {
    for (int r = 0; r < count; ++r) {
        uint32_t x;
        std::memcpy(&x, rows[r] + k, sizeof x);
        to[r] = static_cast<int32_t>(x & 0x00ff00ff);
        to[count + r] = static_cast<int32_t>(x >> 8 & 0x00ff00ff);
    }
}

}  // namespace quern::codes
