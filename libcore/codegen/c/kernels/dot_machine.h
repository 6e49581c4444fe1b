/* What sums of products of codes take from the machine: by what the compiler says that it has, else
 * nothing (dot.h). */
#pragma once

#include <stdint.h>

/* kernel dot_machine */
/* Who multiplies codes of 8 bits; FOLDED_u8 and FOLDED_i8: a sum before its products, where those
   are of codes with another sign (128 less or more) and `weights` is the sum of the weights.
   weight_t has 8 bits where bytes are multiplied. */
#if defined(__GNUC__) && defined(__ARM_FEATURE_MVE) && !defined(__ARM_BIG_ENDIAN)
#include <arm_mve.h>
#define DOT_MVE
#define FOLDED_i8(start, weights) (start)
#define FOLDED_u8(start, weights) ((int32_t)((uint32_t)(start) + 128U * (uint32_t)(weights)))
#elif defined(__GNUC__) && defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__) && \
    !defined(__ARM_BIG_ENDIAN)
#include <arm_neon.h>
#define DOT_NEON
#define FOLDED_i8(start, weights) (start)
#define FOLDED_u8(start, weights) ((int32_t)((uint32_t)(start) + 128U * (uint32_t)(weights)))
#elif defined(__GNUC__) && defined(__ARM_FEATURE_DSP) && !defined(__ARM_BIG_ENDIAN)
#include <arm_acle.h>
#define DOT_PAIRS
#define FOLDED_i8(start, weights) (start)
#define FOLDED_u8(start, weights) (start)
#elif defined(__GNUC__) && defined(__AVX2__) && \
    (defined(__AVXVNNI__) || (defined(__AVX512VNNI__) && defined(__AVX512VL__)))
#include <immintrin.h>
#define DOT_AVX2
#define DOT_VNNI
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
#define DOT_AVX512
#define DOT_BYTES _mm256_dpbusd_epi32
#else
#define DOT_BYTES _mm256_dpbusd_avx_epi32
#endif
#define FOLDED_i8(start, weights) ((int32_t)((uint32_t)(start)-128U * (uint32_t)(weights)))
#define FOLDED_u8(start, weights) (start)
#else
#define FOLDED_i8(start, weights) (start)
#define FOLDED_u8(start, weights) (start)
#if defined(__GNUC__) && defined(__AVX2__)
#include <immintrin.h>
#define DOT_AVX2
#elif defined(__GNUC__) && defined(__SSE2__)
#include <emmintrin.h>
#define DOT_SSE2
#endif
#endif
#if defined(DOT_SSE2) || (defined(DOT_AVX2) && !defined(DOT_VNNI))
typedef int16_t weight_t;
#else
typedef int8_t weight_t;
#endif
/* Sums of how many filters are made at a time, where that is not four. */
#if defined(DOT_AVX512)
#define DOT_MANY 16
#elif defined(DOT_AVX2)
#define DOT_MANY 8
#endif

/* kernel dot_loads */
/* Codes and weights as 16-bit numbers, of which machines multiply pairs. */
#if defined(DOT_AVX2) || defined(DOT_SSE2)
static inline __m128i loaded(const void* p) { return _mm_loadu_si128((const __m128i*)p); }

static inline void stored(void* p, __m128i v) { _mm_storeu_si128((__m128i*)p, v); }
#endif

#if defined(DOT_AVX2)
static inline __m256i wide_int8_t(__m128i v) { return _mm256_cvtepi8_epi16(v); }

static inline __m256i wide_uint8_t(__m128i v) { return _mm256_cvtepu8_epi16(v); }

static inline __m256i sixteen_int8_t(const int8_t* p) { return wide_int8_t(loaded(p)); }

static inline __m256i sixteen_uint8_t(const uint8_t* p) { return wide_uint8_t(loaded(p)); }

static inline __m256i sixteen_int16_t(const void* p) {
    return _mm256_loadu_si256((const __m256i*)p);
}

#if defined(DOT_AVX512)
/* Sixteen bytes, each at a place of 32 bits. */
static inline __m512i apart_bytes(const void* p, unsigned place) {
    return _mm512_slli_epi32(_mm512_cvtepu8_epi32(loaded(p)), place);
}
#endif

/* The sums of four lists of eight. */
static inline __m128i four_sums(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}
#elif defined(DOT_SSE2)
static inline __m128i low_int8_t(__m128i v) { return _mm_srai_epi16(_mm_unpacklo_epi8(v, v), 8); }

static inline __m128i high_int8_t(__m128i v) { return _mm_srai_epi16(_mm_unpackhi_epi8(v, v), 8); }

static inline __m128i low_uint8_t(__m128i v) { return _mm_unpacklo_epi8(v, _mm_setzero_si128()); }

static inline __m128i high_uint8_t(__m128i v) { return _mm_unpackhi_epi8(v, _mm_setzero_si128()); }

/* The sums of four lists of four. */
static inline __m128i four_sums(__m128i a, __m128i b, __m128i c, __m128i d) {
    const __m128i ab = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    const __m128i cd = _mm_add_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    return _mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd));
}
#elif defined(DOT_MVE)
static inline int8x16_t sixteen_int8_t(const int8_t* p) { return vldrbq_s8(p); }

/* 128 less. */
static inline int8x16_t sixteen_uint8_t(const uint8_t* p) {
    return vreinterpretq_s8_u8(veorq_u8(vldrbq_u8(p), vdupq_n_u8(128)));
}

static inline int16x8_t eight_int8_t(const int8_t* p) { return vldrbq_s16(p); }

static inline int16x8_t eight_uint8_t(const uint8_t* p) {
    return vreinterpretq_s16_u16(vldrbq_u16(p));
}

static inline int16x8_t eight_int16_t(const int16_t* p) { return vldrhq_s16(p); }
#elif defined(DOT_NEON)
static inline int8x16_t sixteen_int8_t(const int8_t* p) { return vld1q_s8(p); }

/* 128 less. */
static inline int8x16_t sixteen_uint8_t(const uint8_t* p) {
    return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(128)));
}

static inline int16x8_t eight_int8_t(const int8_t* p) { return vmovl_s8(vld1_s8(p)); }

static inline int16x8_t eight_uint8_t(const uint8_t* p) {
    return vreinterpretq_s16_u16(vmovl_u8(vld1_u8(p)));
}

static inline int16x8_t eight_int16_t(const int16_t* p) { return vld1q_s16(p); }
#elif defined(DOT_PAIRS)
static inline uint32_t word_at(const void* p) {
    uint32_t word;
    __builtin_memcpy(&word, p, sizeof word);
    return word;
}

/* The first and the last two of four bytes as pairs, from those of even_ and odd_. */
static inline int16x2_t first_pair(int16x2_t even, int16x2_t odd) {
    return (int16x2_t)(((uint32_t)even & 0xffffU) | ((uint32_t)odd << 16));
}

static inline int16x2_t last_pair(int16x2_t even, int16x2_t odd) {
    return (int16x2_t)(((uint32_t)even >> 16) | ((uint32_t)odd & 0xffff0000U));
}

/* Bytes 0 and 2 as a pair; 1 and 3. */
static inline int16x2_t even_int8_t(uint32_t word) { return __sxtb16(word); }

static inline int16x2_t odd_int8_t(uint32_t word) {
    int16x2_t pair;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
    return pair;
}

static inline int16x2_t even_uint8_t(uint32_t word) { return (int16x2_t)__uxtb16(word); }

static inline int16x2_t odd_uint8_t(uint32_t word) {
    int16x2_t pair;
    __asm__("uxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
    return pair;
}
#endif
