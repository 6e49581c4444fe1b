// What the inner loops of products for Arm share.
#pragma once

#include "libcore/kernels/codes/dot.h"

#if defined(__aarch64__)
#include "libcore/kernels/codes/neon.h"

namespace quern::codes {

void neon_row_sums(const TileRows& rows, int32_t* sums);
void neon_depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* sums);

// Sums of sixteen columns each: [Rows][16].
template <int Rows>
QUERN_INLINE void store_sums(const int32x4_t (&sums)[Rows][4], int32_t* to) {
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) vst1q_s32(to + 16 * r + 4 * i, sums[r][i]);
}

// A panel [steps][count][4] of codes, whose bits `turned` are turned; Rows, 4 or 6, are gathered by vectors.
template <int Rows>
void gather_steps(const TileRows& rows, uint8x16_t turned, std::byte* panel) {
    auto* to = reinterpret_cast<uint32_t*>(panel);
    const uint32_t turn = vgetq_lane_u32(vreinterpretq_u32_u8(turned), 0);
    for (int tap = 0; tap < rows.taps; ++tap) {
        const uint8_t* const* starts = rows.starts + tap * max_rows;
        int k = 0;
        if (rows.count == Rows)
            for (; k + 16 <= rows.depth; k += 16, to += 4 * Rows) {
                uint32x4_t x[Rows];
#pragma GCC unroll 6
                for (int r = 0; r < Rows; ++r) x[r] = vreinterpretq_u32_u8(veorq_u8(vld1q_u8(starts[r] + k), turned));
                store_lanes(x[0], x[1], x[2], x[3], to, Rows);
                if constexpr (Rows == 6) store_lane_pairs(x[4], x[5], to + 4, Rows);
            }
        for (; k < rows.depth; k += step_depth)
            for (int r = 0; r < rows.count; ++r) {
                uint32_t x;
                std::memcpy(&x, starts[r] + k, sizeof x);
                *to++ = x ^ turn;
            }
    }
}

}  // namespace quern::codes
#endif
