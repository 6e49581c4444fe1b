// Marks of functions for AVX2 in sources that are compiled for every x86-64.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#define QUERN_AVX2 __attribute__((target("avx2,fma")))
#define QUERN_INLINE_AVX2 QUERN_AVX2 inline __attribute__((always_inline))

namespace quern::codes {

// Lane i of each of two or four vectors to to[i * stride].
QUERN_INLINE_AVX2 void store_lane_pairs(__m128i a, __m128i b, int32_t* to, int stride) {
    const __m128i low = _mm_unpacklo_epi32(a, b), high = _mm_unpackhi_epi32(a, b);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), low);
    _mm_storeh_pd(reinterpret_cast<double*>(to + stride), _mm_castsi128_pd(low));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 2 * stride), high);
    _mm_storeh_pd(reinterpret_cast<double*>(to + 3 * stride), _mm_castsi128_pd(high));
}

QUERN_INLINE_AVX2 void store_lanes(__m128i a, __m128i b, __m128i c, __m128i d, int32_t* to, int stride) {
    const __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    const __m128i ab_high = _mm_unpackhi_epi32(a, b), cd_high = _mm_unpackhi_epi32(c, d);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_unpacklo_epi64(ab, cd));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + stride), _mm_unpackhi_epi64(ab, cd));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * stride), _mm_unpacklo_epi64(ab_high, cd_high));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 3 * stride), _mm_unpackhi_epi64(ab_high, cd_high));
}

// How many of sixteen columns are there: all, the first half, or another number.
enum class Columns { all, half, some };

// run<Kind>() of these.
template <class Run>
void with_columns(int columns, const Run& run) {
    if (columns == 16) return run.template operator()<Columns::all>();
    if (columns == 8) return run.template operator()<Columns::half>();
    run.template operator()<Columns::some>();
}

// Codes of one tap, followed by zeros; those after the last channel are not read. `some`: two loads that overlap, as one through memory
// would wait for the bytes that were stored into it.
template <Columns Kind>
inline __attribute__((always_inline)) __m128i load_codes(const uint8_t* from, int columns) {
    if (Kind == Columns::all) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    if (Kind == Columns::half || columns == 8) return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    if (columns > 8)
        return _mm_unpacklo_epi64(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)),
            _mm_srl_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + columns - 8)), _mm_cvtsi32_si128(8 * (16 - columns))));
    uint64_t codes = 0;
    if (columns >= 4) {
        uint32_t low, high;
        std::memcpy(&low, from, sizeof low);
        std::memcpy(&high, from + columns - 4, sizeof high);
        codes = low | uint64_t{high} << 8 * (columns - 4);
    } else {
        for (int c = 0; c < columns; ++c) codes |= uint64_t{from[c]} << 8 * c;
    }
    return _mm_cvtsi64_si128(static_cast<int64_t>(codes));
}

QUERN_INLINE_AVX2 __m256i load(const int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

// Sums of sixteen columns each: [Rows][16].
template <int Rows>
QUERN_INLINE_AVX2 void store_sums(const __m256i (&sums)[Rows][2], int32_t* to) {
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 16 * r), sums[r][0]);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 16 * r + 8), sums[r][1]);
    }
}

}  // namespace quern::codes
#endif
