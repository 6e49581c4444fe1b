// Arm's products of 2 x 8 codes by 8 x 2 weights (Armv8.6; usmmla). A panel is [steps / 2][rows / 2][2][8] codes: two steps of two rows, of
// an odd count one that nothing is read from; [rows / 2][2][4] of an odd number's last step.
#include "libcore/kernels/codes/dot_neon.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

#define QUERN_I8MM __attribute__((target("arch=armv8.2-a+i8mm")))

namespace quern::codes {
namespace {

constexpr int pair_bytes = 4 * step_depth;  // two steps of two rows

void gather(const TileRows& rows, std::byte* panel) {
    const int64_t steps = rows.steps(), line = (rows.count + 1) / 2 * pair_bytes;
    auto* const to = reinterpret_cast<uint8_t*>(panel);
    int64_t step = 0;
    for (int tap = 0; tap < rows.taps; ++tap) {
        for (int k = 0; k < rows.depth;) {
            const bool two = step % 2 == 0 && k + 2 * step_depth <= rows.depth;
            const bool last = step % 2 == 0 && step + 1 == steps;
            const int row = last ? step_depth : 2 * step_depth;
            uint8_t* const at = to + step / 2 * line + step % 2 * step_depth;
            for (int r = 0; r < rows.count; ++r) {
                const uint8_t* from = rows.starts[tap * max_rows + r] + k;
                two ? std::memcpy(at + r * row, from, 2 * step_depth) : std::memcpy(at + r * row, from, step_depth);
            }
            step += two ? 2 : 1;
            k += two ? 2 * step_depth : step_depth;
        }
    }
}

// Sums of two rows by two columns each.
template <int Pairs>
using Sums = int32x4_t[Pairs][block_columns / 2];

// Columns 4 Group to 4 Group + 3: `first` and `second` have their weights of two steps.
template <int Pairs>
QUERN_I8MM QUERN_INLINE void add_group(Sums<Pairs>& sums, int group, const uint8x16_t (&codes)[Pairs], int8x16_t first, int8x16_t second) {
    const int32x4_t a = vreinterpretq_s32_s8(first), b = vreinterpretq_s32_s8(second);
    const int8x16_t low = vreinterpretq_s8_s32(vzip1q_s32(a, b)), high = vreinterpretq_s8_s32(vzip2q_s32(a, b));
#pragma GCC unroll 3
    for (int p = 0; p < Pairs; ++p) {
        sums[p][2 * group] = vusmmlaq_s32(sums[p][2 * group], codes[p], low);
        sums[p][2 * group + 1] = vusmmlaq_s32(sums[p][2 * group + 1], codes[p], high);
    }
}

QUERN_INLINE void store_pair(const int32x4_t (&sums)[block_columns / 2], bool both, int32_t* to) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const int64x2_t a = vreinterpretq_s64_s32(sums[2 * i]), b = vreinterpretq_s64_s32(sums[2 * i + 1]);
        vst1q_s32(to + 4 * i, vreinterpretq_s32_s64(vzip1q_s64(a, b)));
        if (both) vst1q_s32(to + block_columns + 4 * i, vreinterpretq_s32_s64(vzip2q_s64(a, b)));
    }
}

template <int Pairs>
QUERN_I8MM void sums_of(int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    constexpr int step_bytes = block_columns * step_depth;
    const auto* x = reinterpret_cast<const uint8_t*>(panel);
    Sums<Pairs> sums = {};
    uint8x16_t codes[Pairs];
    for (; steps > 1; steps -= 2, weights += 2 * step_bytes, x += Pairs * pair_bytes) {
#pragma GCC unroll 3
        for (int p = 0; p < Pairs; ++p) codes[p] = vld1q_u8(x + p * pair_bytes);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            asm volatile("" ::: "memory");  // weights are not loaded sooner: the sums take 24 registers
            add_group<Pairs>(sums, i, codes, vld1q_s8(weights + 16 * i), vld1q_s8(weights + step_bytes + 16 * i));
        }
    }
    if (steps > 0) {
#pragma GCC unroll 3
        for (int p = 0; p < Pairs; ++p) {
            const uint32x4_t both = vcombine_u32(vreinterpret_u32_u8(vld1_u8(x + p * pair_bytes / 2)), vdup_n_u32(0));
            codes[p] = vreinterpretq_u8_u32(vzip1q_u32(both, vdupq_n_u32(0)));
        }
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) add_group<Pairs>(sums, i, codes, vld1q_s8(weights + 16 * i), vdupq_n_s8(0));
    }
#pragma GCC unroll 3
    for (int p = 0; p < Pairs; ++p) store_pair(sums[p], 2 * p + 1 < count, to + 2 * p * block_columns);
}

void sums(int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    with_rows<max_rows / 2>((count + 1) / 2, [&]<int Pairs>() { sums_of<Pairs>(count, panel, steps, weights, to); });
}

}  // namespace

const Dot i8mm_dot{"neon-i8mm", max_rows, 1, gather, neon_row_sums, sums_of_tiles<sums>, neon_depth_sums};

bool has_i8mm() { return getauxval(AT_HWCAP2) & HWCAP2_I8MM; }

}  // namespace quern::codes
#endif
