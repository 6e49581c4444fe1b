// Every Armv8: codes and weights are multiplied as 16-bit numbers. A panel is [steps][count][4] codes.
#include "libcore/kernels/codes/dot_neon.h"

#if defined(__aarch64__)
namespace quern::codes {
namespace {

constexpr int tile_rows = 4;  // with the weights of a step in the other registers

// Four times the numbers of one depth: [4][columns of a quarter].
struct Depths {
    int16x8_t low, high;
};

// Row R of the tile, code `Depth` of each step.
template <int Depth, int Rows, int R = 0>
QUERN_INLINE void add_rows(int32x4_t (&sums)[Rows][4], const int16x8_t (&codes)[2], const Depths& weights) {
    if constexpr (R < Rows) {
        constexpr int lane = R % 2 * step_depth + Depth;
        sums[R][0] = vmlal_laneq_s16(sums[R][0], vget_low_s16(weights.low), codes[R / 2], lane);
        sums[R][1] = vmlal_high_laneq_s16(sums[R][1], weights.low, codes[R / 2], lane);
        sums[R][2] = vmlal_laneq_s16(sums[R][2], vget_low_s16(weights.high), codes[R / 2], lane);
        sums[R][3] = vmlal_high_laneq_s16(sums[R][3], weights.high, codes[R / 2], lane);
        add_rows<Depth, Rows, R + 1>(sums, codes, weights);
    }
}

Depths depths_of(int8x16_t weights) { return {vmovl_s8(vget_low_s8(weights)), vmovl_high_s8(weights)}; }

template <int Rows>
void sums_of(const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    const auto* x = reinterpret_cast<const uint8_t*>(panel);
    int32x4_t sums[Rows][4] = {};
    for (; steps > 0; --steps, weights += block_columns * step_depth, x += Rows * step_depth) {
        const int8x16x4_t w = vld4q_s8(weights);
        const uint8x16_t bytes = vld1q_u8(x);  // of all rows that a panel has place for
        const int16x8_t codes[2] = {vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes))), vreinterpretq_s16_u16(vmovl_high_u8(bytes))};
        add_rows<0>(sums, codes, depths_of(w.val[0]));
        add_rows<1>(sums, codes, depths_of(w.val[1]));
        add_rows<2>(sums, codes, depths_of(w.val[2]));
        add_rows<3>(sums, codes, depths_of(w.val[3]));
    }
    store_sums<Rows>(sums, to);
}

void sums(int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    with_rows<tile_rows>(count, [&]<int Rows>() { sums_of<Rows>(panel, steps, weights, to); });
}

void gather(const TileRows& rows, std::byte* panel) { gather_steps<tile_rows>(rows, vdupq_n_u8(0), panel); }

template <int Rows, bool Whole>
void depth_sums_of(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* to) {
    int32x4_t sums[Rows][4] = {};
    for (int tap = 0; tap < rows.taps; tap += step_depth, weights += block_columns * step_depth) {
        const int8x16x4_t all = vld4q_s8(weights);
#pragma GCC unroll 4
        for (int i = 0; i < step_depth; ++i) {
            if (tap + i >= rows.taps) break;
            const Depths w = depths_of(all.val[i]);
            const uint8_t* const* starts = rows.starts + (tap + i) * max_rows;
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                const uint8x16_t bytes = load_codes<Whole>(starts[r] + channel, columns);
                const int16x8_t low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes)));
                const int16x8_t high = vreinterpretq_s16_u16(vmovl_high_u8(bytes));
                sums[r][0] = vmlal_s16(sums[r][0], vget_low_s16(low), vget_low_s16(w.low));
                sums[r][1] = vmlal_high_s16(sums[r][1], low, w.low);
                sums[r][2] = vmlal_s16(sums[r][2], vget_low_s16(high), vget_low_s16(w.high));
                sums[r][3] = vmlal_high_s16(sums[r][3], high, w.high);
            }
        }
    }
    store_sums<Rows>(sums, to);
}

}  // namespace

void neon_row_sums(const TileRows& rows, int32_t* sums) {
    for (int r = 0; r < rows.count; ++r) {
        uint32x4_t all = vdupq_n_u32(0);
        uint32_t rest = 0;
        for (int tap = 0; tap < rows.taps; ++tap) {
            const uint8_t* x = rows.starts[tap * max_rows + r];
            int k = 0;
            for (; k + 16 <= rows.depth; k += 16) all = vpadalq_u16(all, vpaddlq_u8(vld1q_u8(x + k)));
            for (; k < rows.depth; ++k) rest += x[k];
        }
        sums[r] = static_cast<int32_t>(rest + vaddvq_u32(all));
    }
}

void neon_depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* to) {
    with_rows<depth_rows>(rows.count, [&]<int Rows>() {
        const auto run = columns == block_columns ? depth_sums_of<Rows, true> : depth_sums_of<Rows, false>;
        run(rows, channel, columns, weights, to);
    });
}

const Dot neon_dot{"neon", tile_rows, 1, gather, neon_row_sums, sums_of_tiles<sums>, neon_depth_sums};

}  // namespace quern::codes
#endif
