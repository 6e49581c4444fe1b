#include "libcore/kernels/codes/decode.h"

#if defined(__x86_64__)
#include <algorithm>

#include "libcore/kernels/codes/avx2.h"

namespace quern::codes {
namespace {

constexpr int parts = stored_columns / 8;

// Scales and zero points of rows that share them.
struct Grids {
    __m256 scales[parts], zeros[parts];
    QUERN_INLINE_AVX2 Grids(const StoredBlock& block, int64_t row) {
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            scales[i] = _mm256_loadu_ps(block.scales + row / block.each * stored_columns + 8 * i);
            zeros[i] = _mm256_loadu_ps(block.zeros + row / block.each * stored_columns + 8 * i);
        }
    }
    QUERN_INLINE_AVX2 void store(const __m256i (&codes)[parts], float* to) const {
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i)
            _mm256_storeu_ps(to + 8 * i, _mm256_mul_ps(_mm256_sub_ps(_mm256_cvtepi32_ps(codes[i]), zeros[i]), scales[i]));
    }
};

QUERN_INLINE_AVX2 __m128i load_8(const uint8_t* from) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)); }

QUERN_INLINE_AVX2 void decode_bytes(const Grids& grids, const uint8_t* from, int64_t count, float* to) {
    for (; count > 0; --count, from += stored_columns, to += stored_columns) {
        __m256i codes[parts];
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) codes[i] = _mm256_cvtepi8_epi32(load_8(from + 8 * i));
        grids.store(codes, to);
    }
}

// Rows [0, count) of pairs, the first of them of low bits.
QUERN_INLINE_AVX2 void decode_pairs(const Grids& grids, const uint8_t* from, int64_t count, float* to) {
    for (; count > 0; count -= 2, from += stored_columns, to += 2 * stored_columns) {
        __m256i low[parts], high[parts];
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            const __m256i both = _mm256_cvtepu8_epi32(load_8(from + 8 * i));
            low[i] = _mm256_and_si256(both, _mm256_set1_epi32(15));
            high[i] = _mm256_srli_epi32(both, 4);
        }
        grids.store(low, to);
        if (count > 1) grids.store(high, to + stored_columns);
    }
}

// Where pairs of rows have scales of their own, an odd number of rows to a scale, the plain loop takes them.
QUERN_AVX2 void decode(const StoredBlock& block, int64_t first, int64_t count, float* to) {
    if (block.bits == 4 && block.each % 2 != 0 && block.each < first + count) return portable_decoding.decode(block, first, count, to);
    for (const int64_t end = first + count; first < end;) {
        const int64_t alike = std::min(end, (first / block.each + 1) * block.each) - first;
        const Grids grids(block, first);
        if (block.bits == 8)
            decode_bytes(grids, block.codes + first * stored_columns, alike, to);
        else
            decode_pairs(grids, block.codes + first / 2 * stored_columns, alike, to);
        first += alike;
        to += alike * stored_columns;
    }
}

template <int Rows>
QUERN_INLINE_AVX2 void add_rows(const float* weights, int64_t count, const float* x, int64_t stride, float* sums) {
    __m256 all[Rows][parts];
#pragma GCC unroll 3
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) all[r][i] = _mm256_loadu_ps(sums + r * stored_columns + 8 * i);
    for (int64_t k = 0; k < count; ++k, weights += stored_columns)
#pragma GCC unroll 3
        for (int r = 0; r < Rows; ++r) {
            const __m256 own = _mm256_broadcast_ss(x + r * stride + k);
#pragma GCC unroll 4
            for (int i = 0; i < parts; ++i) all[r][i] = _mm256_add_ps(all[r][i], _mm256_mul_ps(own, _mm256_loadu_ps(weights + 8 * i)));
        }
#pragma GCC unroll 3
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) _mm256_storeu_ps(sums + r * stored_columns + 8 * i, all[r][i]);
}

QUERN_AVX2 void add(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums) {
    for (; rows >= 3; rows -= 3, x += 3 * stride, sums += 3 * stored_columns) add_rows<3>(weights, count, x, stride, sums);
    if (rows == 2) add_rows<2>(weights, count, x, stride, sums);
    if (rows == 1) add_rows<1>(weights, count, x, stride, sums);
}

}  // namespace

const Decoding avx2_decoding{"avx2", decode, add};

}  // namespace quern::codes
#endif
