/* The product of bytes that AVX-VNNI has, of instructions of AVX2: for machines without it. */
#include_next <immintrin.h>

static inline __m256i bytes_by_words(__m256i sum, __m256i u, __m256i v) {
    const __m256i low = _mm256_set1_epi16(255);
    /* Of each pair of bytes the second, the first. */
    const __m256i second = _mm256_madd_epi16(_mm256_srli_epi16(u, 8), _mm256_srai_epi16(v, 8));
    const __m256i first = _mm256_madd_epi16(_mm256_and_si256(u, low), _mm256_srai_epi16(_mm256_slli_epi16(v, 8), 8));
    return _mm256_add_epi32(sum, _mm256_add_epi32(first, second));
}

#define _mm256_dpbusd_avx_epi32 bytes_by_words
