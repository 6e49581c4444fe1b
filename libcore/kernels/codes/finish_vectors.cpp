// Sums of products to codes (finish.h), a vector of columns at a time.
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/vectors.h"

#if defined(QUERN_VECTORS)
HWY_BEFORE_NAMESPACE();
namespace quern::codes {
namespace {

using namespace vectors;

// Joined sums of parts, of a vector of columns.
struct Joined {
    Int64 low, high;
    HWY_INLINE Int32 narrow() const { return halves_of(low, high); }
};

// Steps from the zero point: of sums exact from `low` on to `high`, at most `high`, and below `low` where they are; of joined ones between
// the limits.

// round(sum * factor), ties to even.
struct ByFloats {
    Float low, high, factor;
    HWY_INLINE ByFloats(const FinishParameters& p, size_t column)
        : low(all(static_cast<float>(p.low - p.zero))),
          high(all(static_cast<float>(p.high - p.zero))),
          factor(load(p.floats.data() + column)) {}
    HWY_INLINE Int32 steps(Int32 sums) const { return nearest(hn::Min(hn::Mul(floats(sums), factor), high)); }
    HWY_INLINE Int32 of_floats(Float sums) const { return nearest(clamped(hn::Mul(sums, factor), low, high)); }
    HWY_INLINE Int32 steps(const Joined& sums) const { return of_floats(floats(sums.narrow())); }
};

struct ByWideFloats : ByFloats {
    HWY_INLINE ByWideFloats(const FinishParameters& p, size_t column) : ByFloats(p, column) {}
    // Numbers below 2^51: their bits are those of a double that far from 3 * 2^51.
    HWY_INLINE static Double double_of(Int64 x) {
        const Double base = hn::Set(DDouble(), 6755399441055744.0);
        return hn::BitCast(DDouble(), x + hn::BitCast(D64(), base)) - base;
    }
    HWY_INLINE Int32 steps(const Joined& sums) const { return of_floats(floats(double_of(sums.low), double_of(sums.high))); }
};

struct Limits {
    Int32 low, high;
    HWY_INLINE explicit Limits(const FinishParameters& p) : low(all(p.low - p.zero)), high(all(p.high - p.zero)) {}
    HWY_INLINE Int32 operator()(Int32 x) const { return clamped(x, low, high); }
};

struct ByFixed {
    Limits limits;
    Scaled scaled;
    HWY_INLINE ByFixed(const FinishParameters& p, size_t column)
        : limits(p), scaled(load(p.factors.data() + column), load(p.shifts.data() + column)) {}
    HWY_INLINE Int32 steps(Int32 sums) const { return hn::Min(scaled(sums), limits.high); }
    HWY_INLINE Int32 steps(const Joined& sums) const { return limits(scaled(sums.narrow())); }
};

// scaled_wide (libcore/integer/rounding.h), for shifts of at most max_left.
class ScaledWide {
   public:
    HWY_INLINE ScaledWide(const int32_t* factors, const int32_t* shifts) {
        const auto wide = [](const int32_t* from) HWY_ATTR { return hn::PromoteTo(D64(), hn::LoadU(Half32(), from)); };
        const Int64 one = hn::Set(D64(), 1), total = hn::Sub(hn::Set(D64(), 15), wide(shifts));
        // (factor + 2^15) >> 16, at most 2^15 - 1
        const Int64 rounded = hn::ShiftRight<16>(hn::Add(wide(factors), hn::Set(D64(), 1 << 15)));
        small_ = hn::BitCast(DHalves(), hn::Min(rounded, hn::Set(D64(), 0x7fff)));
        total_ = hn::BitCast(DBits(), total);
        half_ = hn::BitCast(DBits(), hn::Shl(one, hn::Sub(total, one)));
        sign_ = hn::BitCast(DBits(), hn::Shl(one, hn::Sub(hn::Set(D64(), 63), total)));
    }
    HWY_INLINE Int64 operator()(Int64 number) const {
        const auto x = hn::BitCast(DBits(), number);
        const auto above = hn::ShiftLeft<32>(hn::MulEven(hn::BitCast(DHalves(), hn::ShiftRight<32>(x)), small_));
        const auto product = hn::Add(hn::Add(above, hn::MulEven(hn::BitCast(DHalves(), x), small_)), half_);
        return hn::BitCast(D64(), hn::Sub(hn::Xor(hn::Shr(product, total_), sign_), sign_));
    }

   private:
    using DBits = hn::RebindToUnsigned<D64>;
    using DHalves = hn::RebindToUnsigned<D32>;
    hn::Vec<DHalves> small_;
    hn::Vec<DBits> total_, half_, sign_;
};

struct ByWideFixed {
    Limits limits;
    ScaledWide low, high;
    HWY_INLINE ByWideFixed(const FinishParameters& p, size_t column)
        : limits(p),
          low(p.factors.data() + column, p.shifts.data() + column),
          high(p.factors.data() + column + lanes / 2, p.shifts.data() + column + lanes / 2) {}
    HWY_INLINE Int32 steps(const Joined& sums) const { return limits(halves_of(low(sums.low), high(sums.high))); }
};

// round(sum * factor) in double, ties away from zero.
struct ByDoubles {
    Double min, max, low, high;
    HWY_INLINE ByDoubles(const FinishParameters& p, size_t column)
        : min(hn::Set(DDouble(), p.low - p.zero)),
          max(hn::Set(DDouble(), p.high - p.zero)),
          low(hn::LoadU(DDouble(), p.doubles.data() + column)),
          high(hn::LoadU(DDouble(), p.doubles.data() + column + lanes / 2)) {}
    HWY_INLINE auto rounded(Double sums, Double factor) const {
        const Double x = clamped(hn::Mul(sums, factor), min, max), size = hn::Abs(x), whole = hn::Floor(size);
        const Double up = hn::IfThenElseZero(hn::Ge(hn::Sub(size, whole), hn::Set(DDouble(), 0.5)), hn::Set(DDouble(), 1.0));
        return truncated(hn::CopySignToAbs(hn::Add(whole, up), x));
    }
    HWY_INLINE Int32 of_doubles(Double a, Double b) const { return hn::Combine(D32(), rounded(b, high), rounded(a, low)); }
    HWY_INLINE Int32 steps(Int32 sums) const {
        return of_doubles(hn::PromoteTo(DDouble(), hn::LowerHalf(sums)), hn::PromoteTo(DDouble(), hn::UpperHalf(Half32(), sums)));
    }
    HWY_INLINE Int32 steps(const Joined& sums) const { return steps(sums.narrow()); }
};

struct ByWideDoubles : ByDoubles {
    HWY_INLINE ByWideDoubles(const FinishParameters& p, size_t column) : ByDoubles(p, column) {}
    HWY_INLINE Int32 steps(const Joined& sums) const {
        return of_doubles(hn::ConvertTo(DDouble(), sums.low), hn::ConvertTo(DDouble(), sums.high));
    }
};

// ---- codes of 8 bits -----------------------------------------------------------------------------------------------------------------

// One row: `used` vectors are computed.
template <int used, class By>
HWY_INLINE Words words_of(const Columns<By>& by, const int32_t* sums, const Int32 (&bias)[parts]) {
    Int32 steps[parts];
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) steps[i] = i < used ? by.items[i].steps(hn::Add(load(sums + lanes * i), bias[i])) : steps[i - used];
    return Words(steps);
}

template <class By, int used, bool whole>
void run_used(const FinishParameters& p, const FinishedTile& tile) {
    const Columns<By> by(p, static_cast<size_t>(tile.column));
    const auto zero = static_cast<int16_t>(p.zero);
    const UInt8 low = hn::Set(DUInt8(), static_cast<uint8_t>(p.low));
    Int32 bias[parts];
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) bias[i] = load(p.bias + tile.column + lanes * i);
    const int32_t* sums = tile.sums;
    uint8_t* out = tile.out;
    const int columns = whole ? block_columns : tile.columns;
    const int64_t stride = tile.stride;
    for (int left = tile.count; left > 0; left -= 2, sums += 2 * block_columns, out += 2 * stride) {
        const int32_t* const other = left > 1 ? sums + block_columns : sums;
        Words a = words_of<used>(by, sums, bias), b = words_of<used>(by, other, bias);
        const TwoRows codes(a += zero, b += zero);
        store(hn::Max(codes.first, low), out, columns);
        if (left > 1) store(hn::Max(codes.second, low), out + stride, columns);
    }
}

template <class By>
void run_by(const FinishParameters& p, const FinishedTile& tile) {
    if (tile.columns == block_columns) return run_used<By, parts, true>(p, tile);
    tile.columns > block_columns / 2 ? run_used<By, parts, false>(p, tile) : run_used<By, parts / 2, false>(p, tile);
}

void run(const FinishParameters& p, const FinishedTile& tile) {
    switch (p.by) {
        case SumCodes::By::floats: return run_by<ByFloats>(p, tile);
        case SumCodes::By::fixed: return run_by<ByFixed>(p, tile);
        case SumCodes::By::doubles: return run_by<ByDoubles>(p, tile);
    }
}

// ---- sums in parts -------------------------------------------------------------------------------------------------------------------

HWY_INLINE Joined joined(const FinishParameters& p, const int32_t* from, int64_t next, const int64_t* bias) {
    Joined sum{hn::LoadU(D64(), bias), hn::LoadU(D64(), bias + lanes / 2)};
    for (int a = 0; a < p.data_parts; ++a)
        for (int b = 0; b < p.weight_parts; ++b, from += next) {
            const auto part = [&](int at)
                                  HWY_ATTR { return hn::ShiftLeftSame(hn::PromoteTo(D64(), hn::LoadU(Half32(), from + at)), 8 * (a + b)); };
            sum = {hn::Add(sum.low, part(0)), hn::Add(sum.high, part(lanes / 2))};
        }
    return sum;
}

template <class By>
void run_parts_by(const FinishParameters& p, const FinishedTile& tile) {
    const Columns<By> by(p, static_cast<size_t>(tile.column));
    const int64_t* bias = p.wide_bias + tile.column;
    const Int32 zero = all(p.zero), byte = all(255);
    for (int r = 0; r < tile.count; ++r) {
        const int32_t* from = tile.sums + r * block_columns;
        Int32 low[parts], high[parts];
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            const Joined sums = joined(p, from + lanes * i, tile.next_sums, bias + lanes * i);
            const Int32 codes = hn::Add(by.items[i].steps(sums), zero);
            low[i] = hn::And(codes, byte);
            high[i] = hn::And(hn::ShiftRight<8>(codes), byte);
        }
        const TwoRows codes{Words(low), Words(high)};
        uint8_t* out = tile.out + r * tile.stride;
        store(codes.first, out, tile.columns);
        if (p.out_parts > 1) store(codes.second, out + tile.next_out, tile.columns);
    }
}

void run_parts(const FinishParameters& p, const FinishedTile& tile) {
    switch (way_of_parts(p, tile.column)) {
        case PartsWay::floats: return run_parts_by<ByFloats>(p, tile);
        case PartsWay::wide_floats: return run_parts_by<ByWideFloats>(p, tile);
        case PartsWay::fixed: return run_parts_by<ByFixed>(p, tile);
        case PartsWay::wide_fixed: return run_parts_by<ByWideFixed>(p, tile);
        case PartsWay::doubles: return run_parts_by<ByDoubles>(p, tile);
        case PartsWay::wide_doubles: return run_parts_by<ByWideDoubles>(p, tile);
        case PartsWay::any: return portable_finish.run_parts(p, tile);
    }
}

}  // namespace

const Finish vectors_finish{name, run, run_parts};

}  // namespace quern::codes
HWY_AFTER_NAMESPACE();
#endif
