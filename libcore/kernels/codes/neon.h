// What the inner loops for Arm have in common. Every Armv8 has NEON; the sets above it have files of their own.
#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>

#include <cstdint>
#include <cstring>

#define QUERN_INLINE inline __attribute__((always_inline))

namespace quern::codes {

// Lane i of each of the vectors to to[i * stride].
QUERN_INLINE void store_lane_pairs(uint32x4_t a, uint32x4_t b, uint32_t* to, int stride) {
    const uint32x4_t low = vzip1q_u32(a, b), high = vzip2q_u32(a, b);
    vst1_u32(to, vget_low_u32(low));
    vst1_u32(to + stride, vget_high_u32(low));
    vst1_u32(to + 2 * stride, vget_low_u32(high));
    vst1_u32(to + 3 * stride, vget_high_u32(high));
}

QUERN_INLINE void store_lanes(uint32x4_t a, uint32x4_t b, uint32x4_t c, uint32x4_t d, uint32_t* to, int stride) {
    const uint64x2_t ab = vreinterpretq_u64_u32(vzip1q_u32(a, b)), cd = vreinterpretq_u64_u32(vzip1q_u32(c, d));
    const uint64x2_t ab_high = vreinterpretq_u64_u32(vzip2q_u32(a, b)), cd_high = vreinterpretq_u64_u32(vzip2q_u32(c, d));
    vst1q_u32(to, vreinterpretq_u32_u64(vzip1q_u64(ab, cd)));
    vst1q_u32(to + stride, vreinterpretq_u32_u64(vzip2q_u64(ab, cd)));
    vst1q_u32(to + 2 * stride, vreinterpretq_u32_u64(vzip1q_u64(ab_high, cd_high)));
    vst1q_u32(to + 3 * stride, vreinterpretq_u32_u64(vzip2q_u64(ab_high, cd_high)));
}

// Sixteen codes; those after the last column are not read.
template <bool Whole>
QUERN_INLINE uint8x16_t load_codes(const uint8_t* from, int columns) {
    if (Whole) return vld1q_u8(from);
    uint8_t some[16] = {};
    std::memcpy(some, from, static_cast<size_t>(columns));
    return vld1q_u8(some);
}

}  // namespace quern::codes
#endif
