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

// The first `columns` of sixteen.
QUERN_INLINE void store_codes(uint8x16_t codes, uint8_t* out, int columns) {
    if (columns == 16) return vst1q_u8(out, codes);
    if (columns == 8) return vst1_u8(out, vget_low_u8(codes));
    uint8_t bytes[16];
    vst1q_u8(bytes, codes);
    std::memcpy(out, bytes, static_cast<size_t>(columns));
}

// libcore/integer/scaled.h in four lanes. Factors are not negative, shifts at most 31 either way.
struct ScaledFour {
    int32x4_t left, right, factor;
    ScaledFour(int32x4_t factors, int32x4_t shifts)
        : left(vmaxq_s32(shifts, vdupq_n_s32(0))), right(vminq_s32(shifts, vdupq_n_s32(0))), factor(factors) {}
    int32x4_t operator()(int32x4_t number) const {
        const int32x4_t product = vqrdmulhq_s32(vshlq_s32(number, left), factor);
        // Shifts round ties up: one less below 0, where there is a shift.
        return vrshlq_s32(vqaddq_s32(product, vshrq_n_s32(vandq_s32(product, right), 31)), right);
    }
};

// Steps from the zero point by factors in double, ties away from zero, of four columns: between the limits.
struct DoubleSteps {
    float64x2_t low, high, first, second;
    DoubleSteps(int32_t min, int32_t max, const double* factors)
        : low(vdupq_n_f64(min)), high(vdupq_n_f64(max)), first(vld1q_f64(factors)), second(vld1q_f64(factors + 2)) {}
    int64x2_t two(int64x2_t sums, float64x2_t factor) const {
        return vcvtaq_s64_f64(vmaxq_f64(vminq_f64(vmulq_f64(vcvtq_f64_s64(sums), factor), high), low));
    }
    int32x4_t operator()(int64x2_t a, int64x2_t b) const { return vmovn_high_s64(vmovn_s64(two(a, first)), two(b, second)); }
};

}  // namespace quern::codes
#endif
