// Sums of products of wide codes, in parts of 8 bits, to codes (finish.h) for NEON.
#include "libcore/kernels/codes/finish.h"

#if defined(__aarch64__)
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/neon.h"

namespace quern::codes {
namespace {

// Joined sums of four columns.
struct Joined {
    int64x2_t low, high;
    int32x4_t narrow() const { return vmovn_high_s64(vmovn_s64(low), high); }
};

// Each sums' steps from the zero point, of four columns: between the limits.
struct ByFloats {
    float32x4_t low, high, factor;
    ByFloats(const FinishParameters& p, size_t column)
        : low(vdupq_n_f32(static_cast<float>(p.low - p.zero))),
          high(vdupq_n_f32(static_cast<float>(p.high - p.zero))),
          factor(vld1q_f32(p.floats.data() + column)) {}
    int32x4_t steps_of(float32x4_t sums) const { return vcvtnq_s32_f32(vmaxq_f32(vminq_f32(vmulq_f32(sums, factor), high), low)); }
};

struct NarrowFloats : ByFloats {
    using ByFloats::ByFloats;
    int32x4_t steps(const Joined& sums) const { return steps_of(vcvtq_f32_s32(sums.narrow())); }
};

struct WideFloats : ByFloats {
    using ByFloats::ByFloats;
    int32x4_t steps(const Joined& sums) const {
        return steps_of(vcvt_high_f32_f64(vcvt_f32_f64(vcvtq_f64_s64(sums.low)), vcvtq_f64_s64(sums.high)));
    }
};

struct Limits {
    int32x4_t low, high;
    explicit Limits(const FinishParameters& p) : low(vdupq_n_s32(p.low - p.zero)), high(vdupq_n_s32(p.high - p.zero)) {}
    int32x4_t operator()(int32x4_t x) const { return vminq_s32(vmaxq_s32(x, low), high); }
};

struct NarrowFixed {
    Limits limits;
    ScaledFour scaled;
    NarrowFixed(const FinishParameters& p, size_t column)
        : limits(p), scaled(vld1q_s32(p.factors.data() + column), vld1q_s32(p.shifts.data() + column)) {}
    int32x4_t steps(const Joined& sums) const { return limits(scaled(sums.narrow())); }
};

// libcore/integer/scaled_wide.h in two lanes, for shifts of at most max_left.
struct ScaledWide {
    uint32x2_t small;
    int64x2_t half, right;
    ScaledWide(const int32_t* factors, const int32_t* shifts) {
        const int32x2_t factor = vld1_s32(factors), total = vsub_s32(vdup_n_s32(15), vld1_s32(shifts));
        // (factor + 2^15) >> 16, at most 2^15 - 1
        small = vreinterpret_u32_s32(vmin_s32(vrshr_n_s32(factor, 16), vdup_n_s32(0x7fff)));
        right = vmovl_s32(vneg_s32(total));
        half = vshlq_s64(vdupq_n_s64(1), vmovl_s32(vsub_s32(total, vdup_n_s32(1))));
    }
    int64x2_t operator()(int64x2_t x) const {
        const uint64x2_t bits = vreinterpretq_u64_s64(x);
        const uint64x2_t above = vshlq_n_u64(vmull_u32(vshrn_n_u64(bits, 32), small), 32);
        const uint64x2_t product = vaddq_u64(above, vmull_u32(vmovn_u64(bits), small));
        return vshlq_s64(vaddq_s64(vreinterpretq_s64_u64(product), half), right);
    }
};

struct WideFixed {
    Limits limits;
    ScaledWide first, second;
    WideFixed(const FinishParameters& p, size_t column)
        : limits(p),
          first(p.factors.data() + column, p.shifts.data() + column),
          second(p.factors.data() + column + 2, p.shifts.data() + column + 2) {}
    int32x4_t steps(const Joined& sums) const { return limits(Joined{first(sums.low), second(sums.high)}.narrow()); }
};

template <bool Wide>
struct Doubles {
    DoubleSteps of;
    Doubles(const FinishParameters& p, size_t column) : of(p.low - p.zero, p.high - p.zero, p.doubles.data() + column) {}
    int32x4_t steps(const Joined& sums) const {
        if (Wide) return of(sums.low, sums.high);
        const int32x4_t narrow = sums.narrow();
        return of(vmovl_s32(vget_low_s32(narrow)), vmovl_high_s32(narrow));
    }
};

Joined joined(const FinishParameters& p, const int32_t* from, int64_t next, const int64_t* bias) {
    Joined sum{vld1q_s64(bias), vld1q_s64(bias + 2)};
    for (int a = 0; a < p.data_parts; ++a)
        for (int b = 0; b < p.weight_parts; ++b, from += next) {
            const int32x4_t part = vld1q_s32(from);
            const int64x2_t shift = vdupq_n_s64(8 * (a + b));
            sum.low = vaddq_s64(sum.low, vshlq_s64(vmovl_s32(vget_low_s32(part)), shift));
            sum.high = vaddq_s64(sum.high, vshlq_s64(vmovl_high_s32(part), shift));
        }
    return sum;
}

template <class By>
void run_by(const FinishParameters& p, const FinishedTile& tile) {
    const auto column = static_cast<size_t>(tile.column);
    const By by[4] = {By(p, column), By(p, column + 4), By(p, column + 8), By(p, column + 12)};
    const int64_t* bias = p.wide_bias + tile.column;
    const int32x4_t zero = vdupq_n_s32(p.zero);
    for (int r = 0; r < tile.count; ++r) {
        const int32_t* from = tile.sums + r * block_columns;
        uint16x4_t codes[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const int32x4_t steps = by[i].steps(joined(p, from + 4 * i, tile.next_sums, bias + 4 * i));
            codes[i] = vmovn_u32(vreinterpretq_u32_s32(vaddq_s32(steps, zero)));
        }
        const uint16x8_t a = vcombine_u16(codes[0], codes[1]), b = vcombine_u16(codes[2], codes[3]);
        uint8_t* out = tile.out + r * tile.stride;
        store_codes(vcombine_u8(vmovn_u16(a), vmovn_u16(b)), out, tile.columns);
        if (p.out_parts > 1) store_codes(vcombine_u8(vshrn_n_u16(a, 8), vshrn_n_u16(b, 8)), out + tile.next_out, tile.columns);
    }
}

}  // namespace

void neon_finish_parts(const FinishParameters& p, const FinishedTile& tile) {
    switch (way_of_parts(p, tile.column)) {
        case PartsWay::floats: return run_by<NarrowFloats>(p, tile);
        case PartsWay::wide_floats: return run_by<WideFloats>(p, tile);
        case PartsWay::fixed: return run_by<NarrowFixed>(p, tile);
        case PartsWay::wide_fixed: return run_by<WideFixed>(p, tile);
        case PartsWay::doubles: return run_by<Doubles<false>>(p, tile);
        case PartsWay::wide_doubles: return run_by<Doubles<true>>(p, tile);
        case PartsWay::any: return portable_finish.run_parts(p, tile);
    }
}

}  // namespace quern::codes
#endif
