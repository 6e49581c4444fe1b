// Stored weights decoded to float32 (decode.h) for AVX2.
#include "libcore/kernels/codes/decode.h"

#if defined(__x86_64__)
#include <algorithm>

#include "libcore/kernels/codes/avx2.h"

namespace quern::codes {
namespace {

constexpr int parts = stored_columns / 8;

using Row = __m256[parts];

// Scales and zero points of rows that share them.
struct Grids {
    Row scales, zeros;
    QUERN_INLINE_AVX2 Grids(const StoredBlock& block, int64_t row) {
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            scales[i] = _mm256_loadu_ps(block.scales + row / block.each * stored_columns + 8 * i);
            zeros[i] = _mm256_loadu_ps(block.zeros + row / block.each * stored_columns + 8 * i);
        }
    }
    template <class Taker>
    QUERN_INLINE_AVX2 void give(const __m256i (&codes)[parts], Taker& taker) const {
        Row weights;
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) weights[i] = _mm256_mul_ps(_mm256_sub_ps(_mm256_cvtepi32_ps(codes[i]), zeros[i]), scales[i]);
        taker.take(weights);
    }
};

// What takes the rows of weights: memory, or the sums of one row of data.
struct Stored {
    float* to;
    QUERN_INLINE_AVX2 void take(const Row& weights) {
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) _mm256_storeu_ps(to + 8 * i, weights[i]);
        to += stored_columns;
    }
};
struct Added {
    const float* x;
    Row sums;
    QUERN_INLINE_AVX2 void take(const Row& weights) {
        const __m256 own = _mm256_broadcast_ss(x++);
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) sums[i] = _mm256_add_ps(sums[i], _mm256_mul_ps(own, weights[i]));
    }
};

QUERN_INLINE_AVX2 __m128i load_8(const uint8_t* from) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)); }

template <class Taker>
QUERN_INLINE_AVX2 void decode_bytes(const Grids& grids, const uint8_t* from, int64_t count, Taker& taker) {
    for (; count > 0; --count, from += stored_columns) {
        __m256i codes[parts];
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) codes[i] = _mm256_cvtepi8_epi32(load_8(from + 8 * i));
        grids.give(codes, taker);
    }
}

// The rows of low bits, of high bits, or both of `count` pairs.
template <bool Low, bool High, class Taker>
QUERN_INLINE_AVX2 void decode_pairs(const Grids& grids, const uint8_t* from, int64_t count, Taker& taker) {
    for (; count > 0; --count, from += stored_columns) {
        __m256i low[parts], high[parts];
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            const __m256i both = _mm256_cvtepu8_epi32(load_8(from + 8 * i));
            low[i] = _mm256_and_si256(both, _mm256_set1_epi32(15));
            high[i] = _mm256_srli_epi32(both, 4);
        }
        if (Low) grids.give(low, taker);
        if (High) grids.give(high, taker);
    }
}

// Rows [first, last), which share scales.
template <class Taker>
QUERN_INLINE_AVX2 void decode_alike(const StoredBlock& block, int64_t first, int64_t last, Taker& taker) {
    const Grids grids(block, first);
    if (block.bits == 8) return decode_bytes(grids, block.codes + first * stored_columns, last - first, taker);
    if (first % 2 != 0) decode_pairs<false, true>(grids, block.codes + first / 2 * stored_columns, 1, taker), ++first;
    decode_pairs<true, true>(grids, block.codes + first / 2 * stored_columns, (last - first) / 2, taker);
    if (first < last && last % 2 != 0) decode_pairs<true, false>(grids, block.codes + last / 2 * stored_columns, 1, taker);
}

template <class Taker>
QUERN_INLINE_AVX2 void decode_all(const StoredBlock& block, int64_t first, int64_t count, Taker& taker) {
    for (const int64_t end = first + count; first < end;) {
        const int64_t alike = std::min(end, (first / block.each + 1) * block.each);
        decode_alike(block, first, alike, taker);
        first = alike;
    }
}

QUERN_AVX2 void decode(const StoredBlock& block, int64_t first, int64_t count, float* to) {
    Stored stored{to};
    decode_all(block, first, count, stored);
}

QUERN_AVX2 void add_one(const StoredBlock& block, int64_t count, const float* x, float* sums) {
    Added added{x, {}};
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) added.sums[i] = _mm256_loadu_ps(sums + 8 * i);
    decode_all(block, 0, count, added);
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) _mm256_storeu_ps(sums + 8 * i, added.sums[i]);
}

template <int Rows>
QUERN_INLINE_AVX2 void add_rows(const float* weights, int64_t count, const float* x, int64_t stride, float* sums) {
    __m256 all[Rows][parts];
#pragma GCC unroll 3
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) all[r][i] = _mm256_loadu_ps(sums + r * stored_columns + 8 * i);
    }
    for (int64_t k = 0; k < count; ++k, weights += stored_columns) {
#pragma GCC unroll 3
        for (int r = 0; r < Rows; ++r) {
            const __m256 own = _mm256_broadcast_ss(x + r * stride + k);
#pragma GCC unroll 4
            for (int i = 0; i < parts; ++i) all[r][i] = _mm256_add_ps(all[r][i], _mm256_mul_ps(own, _mm256_loadu_ps(weights + 8 * i)));
        }
    }
#pragma GCC unroll 3
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) _mm256_storeu_ps(sums + r * stored_columns + 8 * i, all[r][i]);
    }
}

QUERN_AVX2 void add(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums) {
    for (; rows >= 3; rows -= 3, x += 3 * stride, sums += 3 * stored_columns) add_rows<3>(weights, count, x, stride, sums);
    if (rows == 2) add_rows<2>(weights, count, x, stride, sums);
    if (rows == 1) add_rows<1>(weights, count, x, stride, sums);
}

}  // namespace

const Decoding avx2_decoding{"avx2", decode, add, add_one};

}  // namespace quern::codes
#endif
