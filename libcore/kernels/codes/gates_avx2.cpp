// The gates of an integer LSTM (gates.h), sixteen cells at a time, for AVX2.
#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/gates.h"

#if defined(__x86_64__)
#include <algorithm>
#include <cstring>

namespace quern::codes {
namespace {

QUERN_INLINE_AVX2 __m256i load16(const int16_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
QUERN_INLINE_AVX2 __m256i set16(int32_t x) { return _mm256_set1_epi16(static_cast<int16_t>(x)); }

// ---- libcore/integer/logistic_16.h and tanh_16.h of sixteen numbers -----------------------------------------------------------------

// Of two numbers that are not both the least one, high_16.h is the rounded product that the machine has.
QUERN_INLINE_AVX2 __m256i high(__m256i a, __m256i b) { return _mm256_mulhrs_epi16(a, b); }

// x / 2^n to nearest, ties away from zero (rounded_shift.h), of numbers that are far from the ends.
template <int n>
QUERN_INLINE_AVX2 __m256i shifted_right(__m256i x) {
    const __m256i up = _mm256_add_epi16(set16(1 << (n - 1)), _mm256_srai_epi16(x, 15));
    return _mm256_srai_epi16(_mm256_add_epi16(x, up), n);
}

QUERN_INLINE_AVX2 __m256i doubled(__m256i x) { return _mm256_adds_epi16(x, x); }

// exp_of_negative_16.h of x <= 0, with up to 7 bits before the point.
QUERN_INLINE_AVX2 __m256i exp_of(__m256i x, int integer) {
    constexpr int32_t factors[7] = {25520, 19875, 12055, 4435, 600, 11, 0};  // exp(-1/4), exp(-1/2) ... exp(-16)
    const __m256i quarter = set16(1 << (13 - integer)), base = set16(28918), third = set16(10923);
    const __m256i below = _mm256_sub_epi16(_mm256_and_si256(x, _mm256_sub_epi16(quarter, set16(1))), quarter);
    const __m256i a = _mm256_add_epi16(_mm256_sll_epi16(below, _mm_cvtsi32_si128(integer)), set16(1 << 12));
    const __m256i a2 = high(a, a), a3 = high(a2, a), a4 = high(a2, a2);
    const __m256i sum = _mm256_add_epi16(high(_mm256_add_epi16(shifted_right<2>(a4), a3), third), a2);
    __m256i result = _mm256_adds_epi16(base, high(base, _mm256_add_epi16(a, shifted_right<1>(sum))));
    const __m256i rest = _mm256_sub_epi16(below, x);
    for (int i = 0; i < 7 && i < integer + 2; ++i) {
        const __m256i bit = set16(1 << (13 - integer + i)), there = _mm256_cmpeq_epi16(_mm256_and_si256(rest, bit), bit);
        result = _mm256_blendv_epi8(result, high(result, set16(factors[i])), there);
    }
    return _mm256_blendv_epi8(result, set16(INT16_MAX), _mm256_cmpeq_epi16(x, _mm256_setzero_si256()));
}

// double_reciprocal_16.h
QUERN_INLINE_AVX2 __m256i double_reciprocal(__m256i x) {
    const __m256i half = _mm256_avg_epu16(x, set16(INT16_MAX));
    __m256i y = _mm256_add_epi16(set16(23130), high(half, set16(-15420)));
#pragma GCC unroll 3
    for (int round = 0; round < 3; ++round) {
        const __m256i rest = _mm256_sub_epi16(set16(1 << 13), high(half, y));
        y = _mm256_add_epi16(y, _mm256_slli_epi16(high(y, rest), 2));
    }
    return y;
}

QUERN_INLINE_AVX2 __m256i less_than_none(__m256i x) { return _mm256_min_epi16(x, _mm256_sub_epi16(_mm256_setzero_si256(), x)); }

QUERN_INLINE_AVX2 __m256i logistic(__m256i x) {
    const __m256i zero = _mm256_setzero_si256(), positive = doubled(double_reciprocal(exp_of(less_than_none(x), 3)));
    const __m256i size = _mm256_blendv_epi8(_mm256_sub_epi16(set16(INT16_MAX), positive), positive, _mm256_cmpgt_epi16(x, zero));
    return _mm256_blendv_epi8(size, set16(1 << 14), _mm256_cmpeq_epi16(x, zero));
}

QUERN_INLINE_AVX2 __m256i tanh_of(__m256i x, int integer) {
    const __m256i part = _mm256_sub_epi16(double_reciprocal(exp_of(less_than_none(x), integer + 1)), set16(1 << 13));
    return _mm256_sign_epi16(doubled(doubled(part)), x);
}

// ---- sums -------------------------------------------------------------------------------------------------------------------------------

// Products of sixteen numbers, the lower and the upper half of each half of eight.
struct Products {
    __m256i low, high;
};
QUERN_INLINE_AVX2 Products products(__m256i a, __m256i b) {
    const __m256i low = _mm256_mullo_epi16(a, b), high = _mm256_mulhi_epi16(a, b);
    return {_mm256_unpacklo_epi16(low, high), _mm256_unpackhi_epi16(low, high)};
}

// rounded_shift.h of numbers of which none overflows with half a step more.
QUERN_INLINE_AVX2 __m256i rounded_right(__m256i x, int n) {
    const __m256i up = _mm256_add_epi32(_mm256_set1_epi32(1 << (n - 1)), _mm256_srai_epi32(x, 31));
    return _mm256_sra_epi32(_mm256_add_epi32(x, up), _mm_cvtsi32_si128(n));
}

QUERN_INLINE_AVX2 __m256i rounded_right(const Products& x, int n) {
    return _mm256_packs_epi32(rounded_right(x.low, n), rounded_right(x.high, n));
}

struct CellLoop {
    const lstm_codes_t& s;
    Scaled scaled;
    __m256i zero, max, min;

    QUERN_INLINE_AVX2 explicit CellLoop(const lstm_codes_t& sizes)
        : s(sizes),
          scaled(sizes.out_factor, sizes.out_shift),
          zero(_mm256_set1_epi32(sizes.out_zero)),
          max(set16(sizes.cell_clip > 0 ? sizes.cell_clip : INT16_MAX)),
          min(set16(sizes.cell_clip > 0 ? -sizes.cell_clip : INT16_MIN)) {}

    QUERN_INLINE_AVX2 __m256i state_of(__m256i product) const {
        const __m256i limit = _mm256_set1_epi32(1 << 16);
        return _mm256_add_epi32(clamped(scaled(product), _mm256_sub_epi32(_mm256_setzero_si256(), limit), limit), zero);
    }

    // Sixteen cells; the four gates lie `next` numbers apart.
    QUERN_INLINE_AVX2 void run(const int16_t* gates, int64_t next, int16_t* cell, int8_t* state) const {
        const __m256i kept = rounded_right(products(logistic(load16(gates + 2 * next)), load16(cell)), 15);
        const __m256i fresh = rounded_right(products(logistic(load16(gates)), tanh_of(load16(gates + 3 * next), 3)), 30 + s.power);
        const __m256i after = _mm256_max_epi16(_mm256_min_epi16(_mm256_adds_epi16(kept, fresh), max), min);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(cell), after);
        const Products open = products(logistic(load16(gates + next)), tanh_of(after, 15 + s.power));
        const __m256i words = _mm256_packs_epi32(state_of(open.low), state_of(open.high));
        const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(state), bytes);
    }
};

constexpr int32_t lanes = 16;

// The last cells, which are less than sixteen.
QUERN_AVX2 void run_rest(const CellLoop& loop, const int16_t* gates, int32_t next, int16_t* cell, int8_t* state, int32_t count) {
    alignas(32) int16_t own[4 * lanes] = {}, cells[lanes] = {};
    int8_t states[lanes];
    for (int32_t g = 0; g < 4; ++g) std::copy_n(gates + g * next, count, own + g * lanes);
    std::copy_n(cell, count, cells);
    loop.run(own, lanes, cells, states);
    std::copy_n(cells, count, cell);
    std::copy_n(states, count, state);
}

QUERN_AVX2 void lstm(const int16_t* gates, const lstm_codes_t& s, int16_t* cell, int8_t* state) {
    const CellLoop loop(s);
    int32_t k = 0;
    for (; k + lanes <= s.hidden; k += lanes) loop.run(gates + k, s.hidden, cell + k, state + k);
    if (k < s.hidden) run_rest(loop, gates + k, s.hidden, cell + k, state + k, s.hidden - k);
}

// Eight columns. What is far outside of 16 bits is brought near them first, where a gate can be added.
struct GateColumns {
    __m256i bias;
    Scaled scaled;
    QUERN_INLINE_AVX2 GateColumns(const GateParameters& p, size_t place)
        : bias(load(p.bias + place)), scaled(load(p.factors.data() + place), load(p.shifts.data() + place)) {}
    QUERN_INLINE_AVX2 __m256i sums(const int32_t* from, __m128i before) const {
        const __m256i near = clamped(scaled(_mm256_add_epi32(load(from), bias)), _mm256_set1_epi32(-(1 << 17)), _mm256_set1_epi32(1 << 17));
        return _mm256_add_epi32(near, _mm256_cvtepi16_epi32(before));
    }
};

QUERN_INLINE_AVX2 void add_sums(const GateColumns& a, const GateColumns& b, const int32_t* sums, int16_t* words) {
    const __m256i before = load16(words);
    const __m256i first = a.sums(sums, _mm256_castsi256_si128(before)), second = b.sums(sums + 8, _mm256_extracti128_si256(before, 1));
    const __m256i after = _mm256_permute4x64_epi64(_mm256_packs_epi32(first, second), 0xd8);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), after);
}

QUERN_AVX2 void gate_sums(const GateParameters& p, const GateTile& tile) {
    const auto place = static_cast<size_t>(tile.place), bytes = static_cast<size_t>(tile.columns) * sizeof(int16_t);
    const GateColumns a(p, place), b(p, place + 8);
    for (int r = 0; r < tile.count; ++r) {
        int16_t* const out = tile.gates + r * tile.stride;
        alignas(32) int16_t words[block_columns] = {};
        if (tile.adds) std::memcpy(words, out, bytes);
        add_sums(a, b, tile.sums + r * block_columns, words);
        std::memcpy(out, words, bytes);
    }
}

}  // namespace

const Gates avx2_gates{"avx2", gate_sums, lstm};

}  // namespace quern::codes
#endif
