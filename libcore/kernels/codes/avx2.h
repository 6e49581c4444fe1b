// Marks of functions for AVX2 in sources that are compiled for every x86-64.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>
#include <cstring>

#define QUERN_AVX2 __attribute__((target("avx2,fma")))
#define QUERN_INLINE_AVX2 QUERN_AVX2 inline __attribute__((always_inline))

namespace quern::codes {

// The low bytes of sixteen numbers from 0 to 255: a has the first eight of them.
QUERN_INLINE_AVX2 __m128i bytes_of(__m256i a, __m256i b) {
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xd8);
    return _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

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

// Eight bytes less a number each.
QUERN_INLINE_AVX2 __m256i eight_codes(const uint8_t* from, __m256i less) {
    return _mm256_sub_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))), less);
}

// Sums of sixteen columns each: [Rows][16].
template <int Rows>
QUERN_INLINE_AVX2 void store_sums(const __m256i (&sums)[Rows][2], int32_t* to) {
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 16 * r), sums[r][0]);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 16 * r + 8), sums[r][1]);
    }
}

// libcore/integer/scaled.h in eight lanes: the high half of the doubled product, rounded, then the rounded shift. Factors are not negative,
// shifts at most 31 either way.
struct Scaled {
    __m256i left, right, factor, odd_factor, mask, threshold;
    QUERN_INLINE_AVX2 Scaled(__m256i factors, __m256i shifts) : factor(factors), odd_factor(_mm256_srli_epi64(factors, 32)) {
        const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1);
        left = _mm256_max_epi32(shifts, zero);
        right = _mm256_max_epi32(_mm256_sub_epi32(zero, shifts), zero);
        mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, right), one);
        threshold = _mm256_srli_epi32(mask, 1);
    }
    QUERN_INLINE_AVX2 Scaled(int32_t factors, int32_t shifts) : Scaled(_mm256_set1_epi32(factors), _mm256_set1_epi32(shifts)) {}

    QUERN_INLINE_AVX2 __m256i operator()(__m256i number) const {
        const __m256i x = _mm256_sllv_epi32(number, left), half = _mm256_set1_epi64x(int64_t{1} << 30);
        const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, factor), half);
        const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), odd_factor), half);
        const __m256i product = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
        const __m256i min = _mm256_sub_epi32(threshold, _mm256_srai_epi32(product, 31));  // one more below 0
        const __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(product, mask), min);
        return _mm256_sub_epi32(_mm256_srav_epi32(product, right), up);
    }
};

QUERN_INLINE_AVX2 __m256i clamped(__m256i x, __m256i low, __m256i high) { return _mm256_min_epi32(_mm256_max_epi32(x, low), high); }

}  // namespace quern::codes
#endif
