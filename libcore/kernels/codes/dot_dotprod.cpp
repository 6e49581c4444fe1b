// Arm's dot products of four signed bytes (Armv8.2, an option). Codes are taken as signed, 128 less than they are; what the sums lack is
// 128 times that of each column's weights. A panel is [steps][count][4] such codes.
#include "libcore/kernels/codes/dot_neon.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

#define QUERN_DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))
#define QUERN_INLINE_DOTPROD QUERN_DOTPROD QUERN_INLINE

namespace quern::codes {
namespace {

struct Columns {
    int32x4_t sums[4];
};

QUERN_DOTPROD Columns lacking(int64_t steps, const int8_t* weights) {
    Columns columns = {};
    const int8x16_t ones = vdupq_n_s8(1);
    for (; steps > 0; --steps, weights += block_columns * step_depth)
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) columns.sums[c] = vdotq_s32(columns.sums[c], vld1q_s8(weights + 16 * c), ones);
    for (int32x4_t& sums : columns.sums) sums = vshlq_n_s32(sums, 7);
    return columns;
}

template <int Rows, int R = 0>
QUERN_INLINE_DOTPROD void add_rows(int32x4_t (&sums)[Rows][4], const int8x16_t (&codes)[2], const int8x16_t (&weights)[4]) {
    if constexpr (R < Rows) {
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) sums[R][c] = vdotq_laneq_s32(sums[R][c], weights[c], codes[R / 4], R % 4);
        add_rows<Rows, R + 1>(sums, codes, weights);
    }
}

template <int Rows>
QUERN_DOTPROD void sums_of(const std::byte* panel, int64_t steps, const int8_t* weights, const Columns& start, int32_t* to) {
    const auto* x = reinterpret_cast<const int8_t*>(panel);
    int32x4_t sums[Rows][4];
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) sums[r][c] = start.sums[c];
    for (; steps > 0; --steps, weights += block_columns * step_depth, x += Rows * step_depth) {
        const int8x16_t w[4] = {vld1q_s8(weights), vld1q_s8(weights + 16), vld1q_s8(weights + 32), vld1q_s8(weights + 48)};
        // A panel has place for max_rows.
        const int8x16_t codes[2] = {vld1q_s8(x), Rows > 4 ? vcombine_s8(vld1_s8(x + 16), vdup_n_s8(0)) : vdupq_n_s8(0)};
        add_rows(sums, codes, w);
    }
    store_sums<Rows>(sums, to);
}

void sums(const Panels& panels, const int8_t* weights, int32_t* to) {
    const Columns start = lacking(panels.steps, weights);
    for (int64_t i = 0; i < panels.tiles; to += panels.count(i) * block_columns, ++i)
        with_rows<max_rows>(panels.count(i),
                            [&]<int Rows>() { sums_of<Rows>(panels.first + i * panels.bytes, panels.steps, weights, start, to); });
}

void gather(const TileRows& rows, std::byte* panel) { gather_steps<max_rows>(rows, vdupq_n_u8(0x80), panel); }

}  // namespace

const Dot dotprod_dot{"neon-dotprod", max_rows, 1, gather, neon_row_sums, sums, neon_depth_sums};

bool has_dotprod() { return getauxval(AT_HWCAP) & HWCAP_ASIMDDP; }

}  // namespace quern::codes
#endif
