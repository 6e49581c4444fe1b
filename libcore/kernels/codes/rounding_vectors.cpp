// Ranges and rounding of float32 to codes (rounding.h) by vectors.
#include "libcore/kernels/codes/rounding.h"

#include "libcore/kernels/vectors.h"

#if defined(QUERN_VECTORS)
HWY_BEFORE_NAMESPACE();
namespace quern::codes {
namespace {

using namespace vectors;

NumberRange range(const float* x, size_t count) {
    constexpr size_t together = 4;
    Float low[together], high[together];
    for (size_t k = 0; k < together; ++k) low[k] = high[k] = all(0.0f);
    size_t i = 0;
    for (; i + together * lanes <= count; i += together * lanes)
#pragma GCC unroll 4
        for (size_t k = 0; k < together; ++k) {
            const Float numbers = load(x + i + lanes * k);
            low[k] = min_of(numbers, low[k]);
            high[k] = max_of(numbers, high[k]);
        }
    NumberRange all = portable_rounding.range(x + i, count - i);
    for (size_t k = 0; k < together; ++k) {
        const float min = hn::GetLane(hn::MinOfLanes(DFloat(), low[k])), max = hn::GetLane(hn::MaxOfLanes(DFloat(), high[k]));
        if (min < all.low) all.low = min;
        if (max > all.high) all.high = max;
    }
    return all;
}

void codes_of(const ByteGrid& g, const float* x, size_t count, uint8_t* out) {
    const Float scale = all(g.scale), low = all(static_cast<float>(g.low - g.zero)), high = all(static_cast<float>(g.high - g.zero));
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        Int32 codes[parts];
#pragma GCC unroll 4
        for (int k = 0; k < parts; ++k) codes[k] = nearest(clamped(number_or_0(load(x + i + lanes * k) / scale), low, high)) + all(g.zero);
        hn::StoreU(bytes_of(codes), DUInt8(), out + i);
    }
    portable_rounding.codes(g, x + i, count - i, out + i);
}

}  // namespace

const Rounding vectors_rounding{name, range, codes_of};

}  // namespace quern::codes
HWY_AFTER_NAMESPACE();
#endif
