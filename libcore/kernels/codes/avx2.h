// Marks of functions for AVX2 in sources that are compiled for every x86-64.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#define QUERN_AVX2 __attribute__((target("avx2,fma")))
#define QUERN_INLINE_AVX2 QUERN_AVX2 inline __attribute__((always_inline))

namespace quern::codes {

// The low bytes of sixteen numbers from 0 to 255: a has the first eight of them.
QUERN_INLINE_AVX2 __m128i bytes_of(__m256i a, __m256i b) {
    const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xd8);
    return _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}

}  // namespace quern::codes
#endif
