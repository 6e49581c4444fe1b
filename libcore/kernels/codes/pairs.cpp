#include "libcore/kernels/codes/pairs.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/quantize.h"
#include "libcore/integer/pairs.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/vectors.h"

namespace quern::codes {
namespace {

// ---- one by one --------------------------------------------------------------------------------------------------------------

int32_t rounded(float steps, const PairParameters& p) {
    return static_cast<int32_t>(std::clamp(std::nearbyint(steps), static_cast<float>(p.low), static_cast<float>(p.high)));
}
int32_t code_of(const RealSum& by, int32_t x, int32_t y, const PairParameters& p) {
    return rounded(std::fma(static_cast<float>(y), by.b, std::fma(static_cast<float>(x), by.a, by.fixed)), p);
}
int32_t code_of(const RealProduct& by, int32_t x, int32_t y, const PairParameters& p) {
    return rounded((static_cast<float>(x) - by.a) * (static_cast<float>(y) - by.b) * by.ratio + by.fixed, p);
}
template <RealPair pair>
int32_t code_of(const Decoded<pair>& by, int32_t x, int32_t y, const PairParameters& p) {
    const float u = static_cast<float>(x - by.a_zero) * by.a_scale, v = static_cast<float>(y - by.b_zero) * by.b_scale;
    const float real = pair == RealPair::sum ? u + v : pair == RealPair::difference ? u - v : u * v;
    return static_cast<int32_t>(quantize_one(real, by.y_scale, by.y_zero, p.low, p.high));
}
int32_t code_of(const sum_t& by, int32_t x, int32_t y, const PairParameters&) { return sum_codes(x, y, &by); }
int32_t code_of(const multiply_t& by, int32_t x, int32_t y, const PairParameters&) { return multiply_codes(x, y, &by); }

#if defined(QUERN_VECTORS)

// ---- sixteen at a time -----------------------------------------------------------------------------------------------------------

HWY_BEFORE_NAMESPACE();

using namespace vectors;

template <class By>
struct Lanes;

struct RealLanes {
    Float low, high;
    HWY_INLINE explicit RealLanes(const PairParameters& p) : low(all(static_cast<float>(p.low))), high(all(static_cast<float>(p.high))) {}
    HWY_INLINE Int32 rounded(Float steps) const { return nearest(clamped(steps, low, high)); }
};

template <>
struct Lanes<RealSum> : RealLanes {
    Float a, b, fixed;
    HWY_INLINE Lanes(const RealSum& by, const PairParameters& p) : RealLanes(p), a(all(by.a)), b(all(by.b)), fixed(all(by.fixed)) {}
    HWY_INLINE Int32 codes(Int32 x, Int32 y) const { return rounded(hn::MulAdd(floats(y), b, hn::MulAdd(floats(x), a, fixed))); }
};

template <>
struct Lanes<RealProduct> : RealLanes {
    Float a, b, ratio, fixed;
    HWY_INLINE Lanes(const RealProduct& by, const PairParameters& p)
        : RealLanes(p), a(all(by.a)), b(all(by.b)), ratio(all(by.ratio)), fixed(all(by.fixed)) {}
    HWY_INLINE Int32 codes(Int32 x, Int32 y) const { return rounded((floats(x) - a) * (floats(y) - b) * ratio + fixed); }
};

template <RealPair pair>
struct Lanes<Decoded<pair>> {
    Float a_scale, b_scale, y_scale, low, high;
    Int32 a_zero, b_zero, y_zero;
    HWY_INLINE Lanes(const Decoded<pair>& by, const PairParameters& p)
        : a_scale(all(by.a_scale)),
          b_scale(all(by.b_scale)),
          y_scale(all(by.y_scale)),
          low(all(static_cast<float>(p.low - by.y_zero))),
          high(all(static_cast<float>(p.high - by.y_zero))),
          a_zero(all(by.a_zero)),
          b_zero(all(by.b_zero)),
          y_zero(all(by.y_zero)) {}
    HWY_INLINE Int32 codes(Int32 x, Int32 y) const {
        const Float u = floats(x - a_zero) * a_scale, v = floats(y - b_zero) * b_scale;
        const Float real = pair == RealPair::sum ? u + v : pair == RealPair::difference ? u - v : u * v;
        return nearest(clamped(real / y_scale, low, high)) + y_zero;
    }
};

// The result's zero point is added behind the clamp, which cannot overflow then.
struct FixedLanes {
    Int32 low, high, zero;
    template <class By>
    HWY_INLINE explicit FixedLanes(const By& by) : low(all(by.low - by.zero)), high(all(by.high - by.zero)), zero(all(by.zero)) {}
    HWY_INLINE Int32 codes_of(Int32 steps) const { return clamped(steps, low, high) + zero; }
};

template <>
struct Lanes<sum_t> : FixedLanes {
    Int32 a_zero, b_zero;
    Scaled a, b, y;
    int bits;
    bool is_difference;
    HWY_INLINE Lanes(const sum_t& by, const PairParameters&)
        : FixedLanes(by),
          a_zero(all(by.a_zero)),
          b_zero(all(by.b_zero)),
          a(by.a_factor, by.a_shift),
          b(by.b_factor, by.b_shift),
          y(by.factor, by.shift),
          bits(by.bits),
          is_difference(by.sign <= 0) {}
    HWY_INLINE Int32 codes(Int32 u, Int32 v) const {
        const Int32 p = a(hn::ShiftLeftSame(u - a_zero, bits)), q = b(hn::ShiftLeftSame(v - b_zero, bits));
        return codes_of(y(is_difference ? p - q : p + q));
    }
};

template <>
struct Lanes<multiply_t> : FixedLanes {
    Int32 a_zero, b_zero;
    Scaled y;
    HWY_INLINE Lanes(const multiply_t& by, const PairParameters&)
        : FixedLanes(by), a_zero(all(by.a_zero)), b_zero(all(by.b_zero)), y(by.factor, by.shift) {}
    HWY_INLINE Int32 codes(Int32 u, Int32 v) const { return codes_of(y((u - a_zero) * (v - b_zero))); }
};

template <bool wide>
HWY_INLINE Int32 load_codes(CodesAt<const uint8_t> from) {
    return wide ? load(from.first) + hn::ShiftLeft<8>(load(from.first + from.next)) : load(from.first);
}

// Gives how many were computed.
template <bool wide, class By>
size_t run_lanes(const By& by, const PairParameters& p, CodesAt<const uint8_t> a, CodesAt<const uint8_t> b, CodesAt<uint8_t> y,
                 size_t count) {
    const Lanes<By> lanes_of(by, p);
    const Int32 bias = all(p.bias), byte = all(255);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        Int32 low[parts], high[parts];
#pragma GCC unroll 4
        for (size_t k = 0; k < parts; ++k) {
            const size_t at = i + k * lanes;
            const Int32 codes = lanes_of.codes(load_codes<wide>(a + at) - bias, load_codes<wide>(b + at) - bias) + bias;
            low[k] = wide ? codes & byte : codes;
            high[k] = hn::ShiftRight<8>(codes);
        }
        if (wide) {
            const TwoRows bytes{Words(low), Words(high)};
            hn::StoreU(bytes.first, DUInt8(), y.first + i);
            hn::StoreU(bytes.second, DUInt8(), y.first + y.next + i);
        } else {
            hn::StoreU(bytes_of(low), DUInt8(), y.first + i);
        }
    }
    return i;
}

HWY_AFTER_NAMESPACE();
#endif

template <bool wide>
int32_t load_code(CodesAt<const uint8_t> from, int32_t bias) {
    return (wide ? from.first[0] | from.first[from.next] << 8 : from.first[0]) - bias;
}

template <bool wide, class By>
void run(const By& by, const PairParameters& p, CodesAt<const uint8_t> a, CodesAt<const uint8_t> b, CodesAt<uint8_t> y, size_t count) {
    size_t i = 0;
#if defined(QUERN_VECTORS)
    if (has_vectors()) i = run_lanes<wide>(by, p, a, b, y, count);
#endif
    for (; i < count; ++i) {
        const int32_t code = code_of(by, load_code<wide>(a + i, p.bias), load_code<wide>(b + i, p.bias), p) + p.bias;
        y.first[i] = static_cast<uint8_t>(code);
        if (wide) y.first[y.next + i] = static_cast<uint8_t>(code >> 8);
    }
}

bool fits(const RealSum& by) { return std::isfinite(by.a) && std::isfinite(by.b) && std::isfinite(by.fixed); }
bool fits(const RealProduct& by) { return std::isfinite(by.ratio); }
// The numbers and their sums and products are finite, then.
bool fits(const DecodedScales& by) {
    const float a = 65536 * std::abs(by.a_scale), b = 65536 * std::abs(by.b_scale);
    return std::isfinite(a + b) && std::isfinite(a * b) && std::isfinite(by.y_scale) && by.y_scale > 0;
}
bool fits_shift(int32_t factor, int32_t shift) { return factor >= 0 && shift >= -31 && shift <= 31; }
bool fits(const sum_t& by) {
    return fits_shift(by.a_factor, by.a_shift) && fits_shift(by.b_factor, by.b_shift) && fits_shift(by.factor, by.shift);
}
bool fits(const multiply_t& by) { return fits_shift(by.factor, by.shift); }

}  // namespace

bool PairParameters::is_finite() const {
    return std::visit([](const auto& one) { return fits(one); }, by);
}

void compute_pairs(const PairParameters& parameters, CodesAt<const uint8_t> a, CodesAt<const uint8_t> b, CodesAt<uint8_t> y, size_t count) {
    std::visit(
        [&](const auto& by) { parameters.wide ? run<true>(by, parameters, a, b, y, count) : run<false>(by, parameters, a, b, y, count); },
        parameters.by);
}

}  // namespace quern::codes
