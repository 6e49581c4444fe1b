// Sums of products to codes of 8 bits (finish.h) for NEON.
#include "libcore/kernels/codes/finish.h"

#if defined(__aarch64__)
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/neon.h"

namespace quern::codes {
namespace {

// Steps from the zero point, of four columns: exact from `low` on to `high`, at most `high`, and below `low` where they are.

// round(sum * factor), ties to even.
struct ByFloats {
    float32x4_t high, factor;
    ByFloats(const FinishParameters& p, size_t column)
        : high(vdupq_n_f32(static_cast<float>(p.high - p.zero))), factor(vld1q_f32(p.floats.data() + column)) {}
    int32x4_t steps(int32x4_t sum) const { return vcvtnq_s32_f32(vminq_f32(vmulq_f32(vcvtq_f32_s32(sum), factor), high)); }
};

struct ByFixed {
    int32x4_t high;
    ScaledFour scaled;
    ByFixed(const FinishParameters& p, size_t column)
        : high(vdupq_n_s32(p.high - p.zero)), scaled(vld1q_s32(p.factors.data() + column), vld1q_s32(p.shifts.data() + column)) {}
    int32x4_t steps(int32x4_t sum) const { return vminq_s32(scaled(sum), high); }
};

struct ByDoubles {
    DoubleSteps of;
    ByDoubles(const FinishParameters& p, size_t column) : of(p.low - p.zero, p.high - p.zero, p.doubles.data() + column) {}
    int32x4_t steps(int32x4_t sum) const { return of(vmovl_s32(vget_low_s32(sum)), vmovl_high_s32(sum)); }
};

template <class By>
void run_by(const FinishParameters& p, const FinishedTile& tile) {
    const auto column = static_cast<size_t>(tile.column);
    const By by[4] = {By(p, column), By(p, column + 4), By(p, column + 8), By(p, column + 12)};
    const int16x8_t zero = vdupq_n_s16(static_cast<int16_t>(p.zero));
    const uint8x16_t low = vdupq_n_u8(static_cast<uint8_t>(p.low));
    const int32_t* bias = p.bias + column;
    for (int r = 0; r < tile.count; ++r) {
        const int32_t* sums = tile.sums + r * block_columns;
        int16x4_t steps[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) steps[i] = vqmovn_s32(by[i].steps(vaddq_s32(vld1q_s32(sums + 4 * i), vld1q_s32(bias + 4 * i))));
        const uint8x8_t a = vqmovun_s16(vqaddq_s16(vcombine_s16(steps[0], steps[1]), zero));
        const uint8x8_t b = vqmovun_s16(vqaddq_s16(vcombine_s16(steps[2], steps[3]), zero));
        store_codes(vmaxq_u8(vcombine_u8(a, b), low), tile.out + r * tile.stride, tile.columns);
    }
}

void run(const FinishParameters& p, const FinishedTile& tile) {
    switch (p.by) {
        case SumCodes::By::floats: return run_by<ByFloats>(p, tile);
        case SumCodes::By::fixed: return run_by<ByFixed>(p, tile);
        case SumCodes::By::doubles: return run_by<ByDoubles>(p, tile);
    }
}

}  // namespace

const Finish neon_finish{"neon", run, neon_finish_parts};

}  // namespace quern::codes
#endif
