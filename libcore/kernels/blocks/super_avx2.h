// The whole-number scales of blocks of 256 elements (ops/integer/ggml_blocks.h) as AVX2 reads them.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#include "libcore/blocks/load.h"

#define QUERN_AVX2 __attribute__((target("avx2,fma,f16c")))
#define QUERN_INLINE_AVX2 QUERN_AVX2 inline __attribute__((always_inline))

namespace quern::block_kernels {

using Block = const std::byte*;

QUERN_INLINE_AVX2 __m256i load_256(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
QUERN_INLINE_AVX2 __m128i load_128(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
QUERN_INLINE_AVX2 float half_at(Block from) { return _cvtsh_ss(blocks::load<uint16_t>(from)); }

// Numbers of 16 bits. Of parts of 32 there are eight, twice; of parts of 16 sixteen.
struct Super {
    __m256i scales, mins;  // in the order of the parts
    __m256i factors;       // the scales as halves of 32 elements meet them: number g of the lower lane and of the upper one
    float scale, min_scale;
};

QUERN_INLINE_AVX2 __m256i twice(__m128i eight) { return _mm256_broadcastsi128_si256(eight); }
// Sixteen bytes, the even ones before the odd ones.
QUERN_INLINE_AVX2 __m128i halves_of(__m128i bytes) {
    return _mm_shuffle_epi8(bytes, _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
}
QUERN_INLINE_AVX2 __m128i joined(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return _mm_insert_epi32(
        _mm_insert_epi32(_mm_insert_epi32(_mm_cvtsi32_si128(static_cast<int>(a)), static_cast<int>(b), 1), static_cast<int>(c), 2),
        static_cast<int>(d), 3);
}
QUERN_INLINE_AVX2 Super of_16(__m128i scales, __m128i mins, float scale, float min_scale) {
    return {_mm256_cvtepi8_epi16(scales), _mm256_cvtepi8_epi16(mins), _mm256_cvtepi8_epi16(halves_of(scales)), scale, min_scale};
}
QUERN_INLINE_AVX2 Super of_8(__m128i scales, __m128i mins, float scale, float min_scale) {
    return {twice(scales), twice(mins), twice(scales), scale, min_scale};
}

QUERN_INLINE_AVX2 Super q2_k_super(Block block) {
    const __m128i both = load_128(block), low = _mm_set1_epi8(15);
    return of_16(_mm_and_si128(both, low), _mm_and_si128(_mm_srli_epi16(both, 4), low), half_at(block + 80), half_at(block + 82));
}

// Sixteen of 6 bits, 32 more than they mean: four bits each in the first 8 bytes, two in the last 4.
QUERN_INLINE_AVX2 Super q3_k_super(Block block) {
    const auto first = blocks::load<uint32_t>(block + 96), second = blocks::load<uint32_t>(block + 100);
    const auto last = blocks::load<uint32_t>(block + 104);
    const __m128i low = _mm_and_si128(joined(first, second, first >> 4, second >> 4), _mm_set1_epi8(15));
    const __m128i high = _mm_and_si128(joined(last, last >> 2, last >> 4, last >> 6), _mm_set1_epi8(3));
    const __m128i scales = _mm_sub_epi8(_mm_or_si128(low, _mm_slli_epi16(high, 4)), _mm_set1_epi8(32));
    return of_16(scales, _mm_setzero_si128(), half_at(block + 108), 0);
}

// Eight scales and eight minima of 6 bits; the upper two bits of the first four of each hold those of the last four.
QUERN_INLINE_AVX2 Super q4_k_super(Block block) {
    const auto scales = blocks::load<uint32_t>(block + 4), mins = blocks::load<uint32_t>(block + 8);
    const auto rest = blocks::load<uint32_t>(block + 12);
    constexpr uint32_t six = 0x3f3f3f3fu, four = 0x0f0f0f0fu, two = 0x03030303u;
    const __m128i all =
        joined(scales & six, (rest & four) | (scales >> 6 & two) << 4, mins & six, (rest >> 4 & four) | (mins >> 6 & two) << 4);
    return of_8(_mm_cvtepi8_epi16(all), _mm_cvtepi8_epi16(_mm_unpackhi_epi64(all, all)), half_at(block), half_at(block + 2));
}

QUERN_INLINE_AVX2 Super q6_k_super(Block block) { return of_16(load_128(block + 192), _mm_setzero_si128(), half_at(block + 208), 0); }

// Eight of 6 bits, 32 more than they mean: four bits each in 4 bytes, two in 2.
QUERN_INLINE_AVX2 Super iq4_xs_super(Block block) {
    const __m256i low =
        _mm256_srlv_epi32(_mm256_set1_epi32(blocks::load<int32_t>(block + 4)), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    const __m256i high =
        _mm256_srlv_epi32(_mm256_set1_epi32(blocks::load<uint16_t>(block + 2)), _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14));
    const __m256i all =
        _mm256_or_si256(_mm256_and_si256(low, _mm256_set1_epi32(15)), _mm256_slli_epi32(_mm256_and_si256(high, _mm256_set1_epi32(3)), 4));
    const __m256i less = _mm256_sub_epi32(all, _mm256_set1_epi32(32));
    return of_8(_mm_packs_epi32(_mm256_castsi256_si128(less), _mm256_extracti128_si256(less, 1)), _mm_setzero_si128(), half_at(block), 0);
}

}  // namespace quern::block_kernels
#endif
