// Stored weights decoded to float32 (decode.h) by vectors.
#include "libcore/kernels/codes/decode.h"

#include "libcore/kernels/vectors.h"

#if defined(QUERN_VECTORS)
HWY_BEFORE_NAMESPACE();
namespace quern::codes {
namespace {

using namespace vectors;

constexpr int row_parts = stored_columns / lanes;

using Row = Float[row_parts];

// Scales and zero points of rows that share them.
struct Grids {
    Row scales, zeros;
    HWY_INLINE Grids(const StoredBlock& block, int64_t row) {
#pragma GCC unroll 8
        for (int i = 0; i < row_parts; ++i) {
            scales[i] = load(block.scales + row / block.each * stored_columns + lanes * i);
            zeros[i] = load(block.zeros + row / block.each * stored_columns + lanes * i);
        }
    }
    template <class Taker>
    HWY_INLINE void give(const Int32 (&codes)[row_parts], Taker& taker) const {
        Row weights;
#pragma GCC unroll 8
        for (int i = 0; i < row_parts; ++i) weights[i] = (floats(codes[i]) - zeros[i]) * scales[i];
        taker.take(weights);
    }
};

// What takes the rows of weights: memory, or the sums of one row of data.
struct Stored {
    float* to;
    HWY_INLINE void take(const Row& weights) {
#pragma GCC unroll 8
        for (int i = 0; i < row_parts; ++i) hn::StoreU(weights[i], DFloat(), to + lanes * i);
        to += stored_columns;
    }
};
struct Added {
    const float* x;
    Row sums;
    HWY_INLINE void take(const Row& weights) {
        const Float own = all(*x++);
#pragma GCC unroll 8
        for (int i = 0; i < row_parts; ++i) sums[i] = sums[i] + own * weights[i];
    }
};

template <class Taker>
HWY_INLINE void decode_bytes(const Grids& grids, const uint8_t* from, int64_t count, Taker& taker) {
    for (; count > 0; --count, from += stored_columns) {
        Int32 codes[row_parts];
#pragma GCC unroll 8
        for (int i = 0; i < row_parts; ++i)
            codes[i] = hn::PromoteTo(D32(), hn::LoadU(hn::Rebind<int8_t, D32>(), reinterpret_cast<const int8_t*>(from) + lanes * i));
        grids.give(codes, taker);
    }
}

// The rows of low bits, of high bits, or both of `count` pairs.
template <bool Low, bool High, class Taker>
HWY_INLINE void decode_pairs(const Grids& grids, const uint8_t* from, int64_t count, Taker& taker) {
    for (; count > 0; --count, from += stored_columns) {
        Int32 low[row_parts], high[row_parts];
#pragma GCC unroll 8
        for (int i = 0; i < row_parts; ++i) {
            const Int32 both = load(from + lanes * i);
            low[i] = both & all(15);
            high[i] = hn::ShiftRight<4>(both);
        }
        if (Low) grids.give(low, taker);
        if (High) grids.give(high, taker);
    }
}

// Rows [first, last), which share scales.
template <class Taker>
HWY_INLINE void decode_alike(const StoredBlock& block, int64_t first, int64_t last, Taker& taker) {
    const Grids grids(block, first);
    if (block.bits == 8) return decode_bytes(grids, block.codes + first * stored_columns, last - first, taker);
    if (first % 2 != 0) decode_pairs<false, true>(grids, block.codes + first / 2 * stored_columns, 1, taker), ++first;
    decode_pairs<true, true>(grids, block.codes + first / 2 * stored_columns, (last - first) / 2, taker);
    if (first < last && last % 2 != 0) decode_pairs<true, false>(grids, block.codes + last / 2 * stored_columns, 1, taker);
}

template <class Taker>
HWY_INLINE void decode_all(const StoredBlock& block, int64_t first, int64_t count, Taker& taker) {
    for (const int64_t end = first + count; first < end;) {
        const int64_t next = (first / block.each + 1) * block.each, alike = next < end ? next : end;
        decode_alike(block, first, alike, taker);
        first = alike;
    }
}

void decode(const StoredBlock& block, int64_t first, int64_t count, float* to) {
    Stored stored{to};
    decode_all(block, first, count, stored);
}

void add_one(const StoredBlock& block, int64_t count, const float* x, float* sums) {
    Added added{x, {}};
#pragma GCC unroll 8
    for (int i = 0; i < row_parts; ++i) added.sums[i] = load(sums + lanes * i);
    decode_all(block, 0, count, added);
#pragma GCC unroll 8
    for (int i = 0; i < row_parts; ++i) hn::StoreU(added.sums[i], DFloat(), sums + lanes * i);
}

template <int Rows>
HWY_INLINE void add_rows(const float* weights, int64_t count, const float* x, int64_t stride, float* sums) {
    Float own_sums[Rows][row_parts];
#pragma GCC unroll 3
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int i = 0; i < row_parts; ++i) own_sums[r][i] = load(sums + r * stored_columns + lanes * i);
    }
    for (int64_t k = 0; k < count; ++k, weights += stored_columns) {
#pragma GCC unroll 3
        for (int r = 0; r < Rows; ++r) {
            const Float own = all(x[r * stride + k]);
#pragma GCC unroll 8
            for (int i = 0; i < row_parts; ++i) own_sums[r][i] = own_sums[r][i] + own * load(weights + lanes * i);
        }
    }
#pragma GCC unroll 3
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
        for (int i = 0; i < row_parts; ++i) hn::StoreU(own_sums[r][i], DFloat(), sums + r * stored_columns + lanes * i);
    }
}

void add(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums) {
    for (; rows >= 3; rows -= 3, x += 3 * stride, sums += 3 * stored_columns) add_rows<3>(weights, count, x, stride, sums);
    if (rows == 2) add_rows<2>(weights, count, x, stride, sums);
    if (rows == 1) add_rows<1>(weights, count, x, stride, sums);
}

}  // namespace

const Decoding vectors_decoding{name, decode, add, add_one};

}  // namespace quern::codes
HWY_AFTER_NAMESPACE();
#endif
