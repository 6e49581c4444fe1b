// Whole-number products of codes for AVX2.
#pragma once

#include "libcore/kernels/blocks/avx2_formats.h"

#if defined(__x86_64__)
namespace quern::block_kernels {

// Products of codes, two neighbours added, in 16 bits.
template <bool is_signed>
QUERN_INLINE_AVX2 __m256i pair_products(__m256i weights, __m256i x) {
    if constexpr (is_signed) return _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(x, weights));
    return _mm256_maddubs_epi16(weights, x);
}

// The sum of all lanes of each of eight vectors.
QUERN_INLINE_AVX2 __m256i sums_of_8(const __m256i (&s)[8]) {
    const __m256i a = _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), _mm256_hadd_epi32(s[2], s[3]));
    const __m256i b = _mm256_hadd_epi32(_mm256_hadd_epi32(s[4], s[5]), _mm256_hadd_epi32(s[6], s[7]));
    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31));
}

// sum + scale * number, scale being a product of its own, as ggml::product has it.
QUERN_INLINE_AVX2 __m256 added(__m256 sum, __m256 scales, float of_x, __m256i whole) {
    return _mm256_add_ps(sum, _mm256_mul_ps(_mm256_mul_ps(scales, _mm256_set1_ps(of_x)), _mm256_cvtepi32_ps(whole)));
}
QUERN_INLINE_AVX2 __m256 less(__m256 sum, __m256 scales, float of_x, __m256i whole) {
    return _mm256_sub_ps(sum, _mm256_mul_ps(_mm256_mul_ps(scales, _mm256_set1_ps(of_x)), _mm256_cvtepi32_ps(whole)));
}

}  // namespace quern::block_kernels
#endif
