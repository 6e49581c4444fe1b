// The gates of an integer LSTM (gates.h), a vector of cells at a time.
#include "libcore/kernels/codes/gates.h"

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/vectors.h"

#if defined(QUERN_VECTORS)
HWY_BEFORE_NAMESPACE();
namespace quern::codes {
namespace {

using namespace vectors;

using Int16 = hn::Vec<D16>;
constexpr int cells = 2 * lanes;  // of a vector

HWY_INLINE Int16 load16(const int16_t* from) { return hn::LoadU(D16(), from); }
HWY_INLINE Int16 set16(int32_t x) { return hn::Set(D16(), static_cast<int16_t>(x)); }

// ---- logistic_16 and tanh_16 (integer/functions.h) -----------------------------------------------------------------------------

// Of two numbers that are not both the least one, high_16 is the rounded product that the machine has.
HWY_INLINE Int16 high(Int16 a, Int16 b) { return hn::MulFixedPoint15(a, b); }

// x / 2^n to nearest, ties away from zero (rounded_shift), of numbers that are far from the ends.
template <int n>
HWY_INLINE Int16 shifted_right(Int16 x) {
    return hn::ShiftRight<n>(x + set16(1 << (n - 1)) + hn::ShiftRight<15>(x));
}

HWY_INLINE Int16 doubled(Int16 x) { return hn::SaturatedAdd(x, x); }

// exp_of_negative_16 of x <= 0, with up to 7 bits before the point.
HWY_INLINE Int16 exp_of(Int16 x, int integer) {
    constexpr int32_t factors[7] = {25520, 19875, 12055, 4435, 600, 11, 0};  // exp(-1/4), exp(-1/2) ... exp(-16)
    const Int16 quarter = set16(1 << (13 - integer)), base = set16(28918);
    const Int16 below = (x & (quarter - set16(1))) - quarter;
    const Int16 a = hn::ShiftLeftSame(below, integer) + set16(1 << 12);
    const Int16 a2 = high(a, a), a3 = high(a2, a), a4 = high(a2, a2);
    const Int16 sum = high(shifted_right<2>(a4) + a3, set16(10923)) + a2;
    Int16 result = hn::SaturatedAdd(base, high(base, a + shifted_right<1>(sum)));
    const Int16 rest = below - x;
    for (int i = 0; i < 7 && i < integer + 2; ++i)
        result = hn::IfThenElse(hn::TestBit(rest, set16(1 << (13 - integer + i))), high(result, set16(factors[i])), result);
    return hn::IfThenElse(x == set16(0), set16(INT16_MAX), result);
}

// double_reciprocal_16
HWY_INLINE Int16 double_reciprocal(Int16 x) {
    const Int16 half = hn::ShiftRight<1>(x) + set16(1 << 14);
    Int16 y = set16(23130) + high(half, set16(-15420));
#pragma GCC unroll 3
    for (int round = 0; round < 3; ++round) y = y + hn::ShiftLeft<2>(high(y, set16(1 << 13) - high(half, y)));
    return y;
}

HWY_INLINE Int16 less_than_none(Int16 x) { return hn::Min(x, set16(0) - x); }

HWY_INLINE Int16 logistic(Int16 x) {
    const Int16 positive = doubled(double_reciprocal(exp_of(less_than_none(x), 3)));
    return hn::IfThenElse(x == set16(0), set16(1 << 14), hn::IfThenElse(x > set16(0), positive, set16(INT16_MAX) - positive));
}

HWY_INLINE Int16 tanh_of(Int16 x, int integer) {
    const Int16 part = double_reciprocal(exp_of(less_than_none(x), integer + 1)) - set16(1 << 13), size = doubled(doubled(part));
    return hn::IfThenElse(x > set16(0), size, hn::IfThenZeroElse(x == set16(0), set16(0) - size));
}

// ---- sums -------------------------------------------------------------------------------------------------------------------------------

// Products of a vector, in an order of the machine's.
struct Products {
    Int32 low, high;
};
HWY_INLINE Products products(Int16 a, Int16 b) {
    const Int16 low = a * b, high = hn::MulHigh(a, b);
    return {hn::ZipLower(D32(), low, high), hn::ZipUpper(D32(), low, high)};
}
// In their own order again, the nearest numbers of 16 bits.
HWY_INLINE Int16 narrow(Int32 low, Int32 high) { return hn::ReorderDemote2To(D16(), low, high); }

// rounded_shift of numbers of which none overflows with half a step more.
HWY_INLINE Int32 rounded_right(Int32 x, int n) { return hn::ShiftRightSame(x + all(1 << (n - 1)) + hn::ShiftRight<31>(x), n); }
HWY_INLINE Int16 rounded_right(const Products& x, int n) { return narrow(rounded_right(x.low, n), rounded_right(x.high, n)); }

struct CellLoop {
    const lstm_codes_t& s;
    Scaled scaled;
    Int16 max, min;

    HWY_INLINE explicit CellLoop(const lstm_codes_t& sizes)
        : s(sizes),
          scaled(sizes.out_factor, sizes.out_shift),
          max(set16(sizes.cell_clip > 0 ? sizes.cell_clip : INT16_MAX)),
          min(set16(sizes.cell_clip > 0 ? -sizes.cell_clip : INT16_MIN)) {}

    HWY_INLINE Int32 state_of(Int32 product) const { return clamped(scaled(product), all(-(1 << 16)), all(1 << 16)) + all(s.out_zero); }

    // A vector of cells; the four gates lie `next` numbers apart.
    HWY_INLINE void run(const int16_t* gates, int64_t next, int16_t* cell, int8_t* state) const {
        const Int16 kept = rounded_right(products(logistic(load16(gates + 2 * next)), load16(cell)), 15);
        const Int16 fresh = rounded_right(products(logistic(load16(gates)), tanh_of(load16(gates + 3 * next), 3)), 30 + s.power);
        const Int16 after = clamped(hn::SaturatedAdd(kept, fresh), min, max);
        hn::StoreU(after, D16(), cell);
        const Products open = products(logistic(load16(gates + next)), tanh_of(after, 15 + s.power));
        const hn::Rebind<int8_t, D16> d8;
        hn::StoreU(hn::DemoteTo(d8, narrow(state_of(open.low), state_of(open.high))), d8, state);
    }
};

void copy(const int16_t* from, int32_t count, int16_t* to) { std::memcpy(to, from, static_cast<size_t>(count) * sizeof *to); }

void lstm(const int16_t* gates, const lstm_codes_t& s, int16_t* cell, int8_t* state) {
    const CellLoop loop(s);
    int32_t k = 0;
    for (; k + cells <= s.hidden; k += cells) loop.run(gates + k, s.hidden, cell + k, state + k);
    const int32_t left = s.hidden - k;
    if (left == 0) return;
    int16_t own[4 * cells] = {}, own_cells[cells] = {};
    int8_t states[cells];
    for (int32_t g = 0; g < 4; ++g) copy(gates + g * s.hidden + k, left, own + g * cells);
    copy(cell + k, left, own_cells);
    loop.run(own, cells, own_cells, states);
    copy(own_cells, left, cell + k);
    std::memcpy(state + k, states, static_cast<size_t>(left));
}

// A vector of columns. What is far outside of 16 bits is brought near them first, where a gate can be added.
struct GateColumns {
    Int32 bias;
    Scaled scaled;
    HWY_INLINE GateColumns(const GateParameters& p, size_t place)
        : bias(load(p.bias + place)), scaled(load(p.factors.data() + place), load(p.shifts.data() + place)) {}
    HWY_INLINE void run(const int32_t* sums, bool adds, int16_t* words) const {
        const hn::Rebind<int16_t, D32> half;
        const Int32 near = clamped(scaled(load(sums) + bias), all(-(1 << 17)), all(1 << 17));
        const Int32 before = adds ? hn::PromoteTo(D32(), hn::LoadU(half, words)) : all(0);
        hn::StoreU(hn::DemoteTo(half, near + before), half, words);
    }
};

template <bool is_whole>
void gate_rows(const GateParameters& p, const GateTile& tile) {
    const Columns<GateColumns> by(p, static_cast<size_t>(tile.place));
    for (int r = 0; r < tile.count; ++r) {
        int16_t *const out = tile.gates + r * tile.stride, words[block_columns], *const to = is_whole ? out : words;
        if (!is_whole && tile.adds) copy(out, tile.columns, words);
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) by.items[i].run(tile.sums + r * block_columns + lanes * i, tile.adds, to + lanes * i);
        if (!is_whole) copy(words, tile.columns, out);
    }
}

void gate_sums(const GateParameters& p, const GateTile& tile) {
    tile.columns == block_columns ? gate_rows<true>(p, tile) : gate_rows<false>(p, tile);
}

}  // namespace

const Gates vectors_gates{name, gate_sums, lstm};

}  // namespace quern::codes
HWY_AFTER_NAMESPACE();
#endif
