// Loops that are written once for all instruction sets, with the vectors of Highway: of AVX2 on x86-64, of NEON on aarch64. QUERN_VECTORS
// is defined where there are any. What uses them stands between HWY_BEFORE_NAMESPACE() and HWY_AFTER_NAMESPACE(), in quern::codes or beside
// it; templates of the standard library do not, as they would be compiled for AVX2 there. Nothing is fused but MulAdd.
#pragma once

#include "libcore/kernels/isa.h"

#if defined(QUERN_VECTORS)
#if defined(__x86_64__)
#define HWY_BASELINE_TARGETS HWY_AVX2
#define HWY_DISABLE_PCLMUL_AES  // isa() does not ask for them
#define HWY_DISABLE_F16C
#endif
#define HWY_COMPILE_ONLY_STATIC  // isa.h alone chooses
#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace quern::vectors {
namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::CappedTag<int32_t, 8>;
using DFloat = hn::Rebind<float, D32>;
using D64 = hn::RepartitionToWide<D32>;
using DDouble = hn::Rebind<double, D64>;
using Half32 = hn::Half<D32>;
using DUInt8 = hn::FixedTag<uint8_t, 16>;
using Int32 = hn::Vec<D32>;
using Float = hn::Vec<DFloat>;
using Int64 = hn::Vec<D64>;
using Double = hn::Vec<DDouble>;
using UInt8 = hn::Vec<DUInt8>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(D32()));
constexpr int parts = 16 / lanes;  // of sixteen numbers

constexpr const char* name = HWY_TARGET == HWY_NEON ? "neon" : "avx2";

HWY_INLINE Int32 load(const int32_t* from) { return hn::LoadU(D32(), from); }
HWY_INLINE Float load(const float* from) { return hn::LoadU(DFloat(), from); }
HWY_INLINE Int32 all(int32_t x) { return hn::Set(D32(), x); }
HWY_INLINE Float all(float x) { return hn::Set(DFloat(), x); }
HWY_INLINE Float floats(Int32 x) { return hn::ConvertTo(DFloat(), x); }

HWY_INLINE Double low_doubles(Float x) { return hn::PromoteTo(DDouble(), hn::LowerHalf(x)); }
HWY_INLINE Double high_doubles(Float x) { return hn::PromoteTo(DDouble(), hn::UpperHalf(hn::Half<DFloat>(), x)); }
HWY_INLINE Float floats(Double low, Double high) {
    const hn::Half<DFloat> half;
    return hn::Combine(DFloat(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

template <class V>
HWY_INLINE V clamped(V x, V low, V high) {
    return hn::Max(hn::Min(x, high), low);
}

// 0 where it is NaN.
HWY_INLINE Float number_or_0(Float x) { return hn::IfThenElseZero(hn::Eq(x, x), x); }

// The less and the greater number, `other` where x is NaN.
#if HWY_TARGET == HWY_NEON
HWY_INLINE Float min_of(Float x, Float other) { return hn::IfThenElse(x < other, x, other); }
HWY_INLINE Float max_of(Float x, Float other) { return hn::IfThenElse(x > other, x, other); }
#else  // as the instructions have it
HWY_INLINE Float min_of(Float x, Float other) { return hn::Min(x, other); }
HWY_INLINE Float max_of(Float x, Float other) { return hn::Max(x, other); }
#endif

// To the nearest whole number, ties to even. Below int32 it is the least number; of those above and NaN there is none.
HWY_INLINE Int32 nearest(Float x) {
#if HWY_TARGET == HWY_NEON
    return hn::NearestInt(x);
#else
    return {_mm256_cvtps_epi32(x.raw)};  // NearestInt mends those above, too
#endif
}

// The whole number towards 0, of numbers within int32.
HWY_INLINE hn::Vec<Half32> truncated(Double x) {
#if HWY_TARGET == HWY_NEON
    return hn::DemoteTo(Half32(), x);
#else
    return {_mm256_cvttpd_epi32(x.raw)};
#endif
}

// Sixteen numbers in 16 bits, the nearest ones, in an order of the machine's.
using D16 = hn::Repartition<int16_t, D32>;
struct Words {
    hn::Vec<D16> items[parts / 2];
    HWY_INLINE explicit Words(const Int32 (&x)[parts]) {
#pragma GCC unroll 2
        for (int i = 0; i < parts / 2; ++i) items[i] = hn::ReorderDemote2To(D16(), x[2 * i], x[2 * i + 1]);
    }
    HWY_INLINE Words& operator+=(int16_t x) {
#pragma GCC unroll 2
        for (int i = 0; i < parts / 2; ++i) items[i] = hn::SaturatedAdd(items[i], hn::Set(D16(), x));
        return *this;
    }
};

// Two rows of them as unsigned bytes, the nearest ones, in their own order again.
struct TwoRows {
    UInt8 first, second;
    HWY_INLINE TwoRows(const Words& a, const Words& b) {
#if HWY_TARGET == HWY_NEON
        const hn::Half<DUInt8> half;
        first = hn::Combine(DUInt8(), hn::DemoteTo(half, a.items[1]), hn::DemoteTo(half, a.items[0]));
        second = hn::Combine(DUInt8(), hn::DemoteTo(half, b.items[1]), hn::DemoteTo(half, b.items[0]));
#else  // both steps work in halves
        alignas(32) constexpr int32_t order[] = {0, 4, 1, 5, 2, 6, 3, 7};
        const Int32 both{_mm256_packus_epi16(a.items[0].raw, b.items[0].raw)};
        const auto ordered = hn::BitCast(hn::Repartition<uint8_t, D32>(), hn::TableLookupLanes(both, hn::SetTableIndices(D32(), order)));
        first = hn::LowerHalf(ordered);
        second = hn::UpperHalf(DUInt8(), ordered);
#endif
    }
};

// Sixteen numbers as unsigned bytes, the nearest ones.
HWY_INLINE UInt8 bytes_of(const Int32 (&x)[parts]) {
    const Words words(x);
    return TwoRows(words, words).first;
}

// As many unsigned bytes as numbers.
HWY_INLINE Int32 load(const uint8_t* from) { return hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<uint8_t, D32>(), from)); }

// The first `columns` of sixteen.
HWY_INLINE void store(UInt8 codes, uint8_t* out, int columns) {
    if (columns == 16) return hn::StoreU(codes, DUInt8(), out);
    if (columns == 8) return hn::StoreU(hn::LowerHalf(codes), hn::Half<DUInt8>(), out);
    uint8_t bytes[16];
    hn::StoreU(codes, DUInt8(), bytes);
    std::memcpy(out, bytes, static_cast<size_t>(columns));
}

// The low halves of two vectors' numbers.
HWY_INLINE Int32 halves_of(Int64 a, Int64 b) { return hn::ConcatEven(D32(), hn::BitCast(D32(), b), hn::BitCast(D32(), a)); }

// scaled (libcore/integer/rounding.h): the high half of the doubled product, rounded, then the rounded shift. Factors are not negative,
// shifts at most 31 either way.
class Scaled {
    // Of the even lanes, half a step of the result more.
    HWY_INLINE static auto products(Int32 x, Int32 factor) {
        return hn::BitCast(hn::RebindToUnsigned<D64>(), hn::Add(hn::MulEven(x, factor), hn::Set(D64(), int64_t{1} << 30)));
    }

   public:
    HWY_INLINE Scaled(Int32 factors, Int32 shifts) : factor_(factors), odd_factor_(hn::DupOdd(factors)) {
        left_ = hn::Max(shifts, all(0));
        right_ = hn::Max(hn::Neg(shifts), all(0));
        mask_ = hn::Sub(hn::Shl(all(1), right_), all(1));
        threshold_ = hn::BitCast(D32(), hn::ShiftRight<1>(hn::BitCast(hn::RebindToUnsigned<D32>(), mask_)));
    }
    HWY_INLINE Scaled(int32_t factor, int32_t shift) : Scaled(all(factor), all(shift)) {}

    HWY_INLINE Int32 operator()(Int32 number) const {
        const Int32 x = hn::Shl(number, left_);
        const Int32 product = hn::OddEven(hn::BitCast(D32(), hn::ShiftLeft<1>(products(hn::DupOdd(x), odd_factor_))),
                                          hn::BitCast(D32(), hn::ShiftRight<31>(products(x, factor_))));
        const Int32 min = hn::Sub(threshold_, hn::ShiftRight<31>(product));  // one more below 0
        const Int32 up = hn::VecFromMask(D32(), hn::Gt(hn::And(product, mask_), min));
        return hn::Sub(hn::Shr(product, right_), up);
    }

   private:
    Int32 left_, right_, factor_, odd_factor_, mask_, threshold_;
};

// Something made of the numbers of each vector of sixteen columns.
template <class By>
struct Columns {
    By items[parts];
    template <class Numbers>
    HWY_INLINE Columns(const Numbers& from, size_t column) : Columns(from, column, std::make_index_sequence<parts>()) {}

   private:
    template <class Numbers, size_t... i>
    HWY_INLINE Columns(const Numbers& from, size_t column, std::index_sequence<i...>) : items{By(from, column + lanes * i)...} {}
};

}  // namespace quern::vectors
HWY_AFTER_NAMESPACE();
#endif
