/* The codes of sums of products, four of them and more at a time, by the vectors that dot.h has
 * found. */
#pragma once

#include <stdint.h>

/* kernel fixed_codes: Y FOUR */
/* The codes of `count` sums; returns of how many, the rest are less than four. */
static inline int32_t fixed_codes(const int32_t* sums, int32_t count, const int32_t* factor,
                                  const int8_t* shift, const requant_t* q, Y* y) {
    int32_t r = 0;
#if defined(DOT_AVX512)
    for (; r + 16 <= count; r += 16)
        store_sixteen(y + r, sixteen_fixed(sums + r, factor + r, shift + r), q);
#endif
#if defined(DOT_AVX2)
    for (; r + 8 <= count; r += 8)
        store_eight_Y(y + r, eight_fixed(sums + r, factor + r, shift + r), q);
#endif
    for (; r + 4 <= count; r += 4) FOUR(sums + r, factor + r, shift + r, q, y + r);
    return r;
}

/* kernel rounded_codes: Y FOUR */
/* As fixed_codes. */
static inline int32_t rounded_codes(const int32_t* sums, int32_t count, const float* factor,
                                    const requant_t* q, Y* y) {
    int32_t r = 0;
#if defined(DOT_AVX512)
    for (; r + 16 <= count; r += 16) store_sixteen(y + r, sixteen_rounded(sums + r, factor + r), q);
#endif
#if defined(DOT_AVX2)
    for (; r + 8 <= count; r += 8) store_eight_Y(y + r, eight_rounded(sums + r, factor + r), q);
#endif
    for (; r + 4 <= count; r += 4) FOUR(sums + r, factor + r, q, y + r);
    return r;
}

/* kernel four_fixed: Y */
/* As code_of_sum, for shifts to the right and sums to which half of what is shifted out can be
 * added. */
static inline void four_fixed(const int32_t* sums, const int32_t* factor, const int8_t* shift,
                              const requant_t* q, Y* y) {
#if defined(DOT_AVX2) || defined(DOT_SSE2)
    const __m128i x = _mm_loadu_si128((const __m128i*)(const void*)sums),
                  f = _mm_loadu_si128((const __m128i*)(const void*)factor);
    int32_t bytes;
    __m128i high, n;
    __builtin_memcpy(&bytes, shift, 4);
    n = _mm_cvtsi32_si128(bytes);
    n = _mm_unpacklo_epi8(n, n);
    n = _mm_sub_epi32(_mm_setzero_si128(), _mm_srai_epi32(_mm_unpacklo_epi16(n, n), 24));
    high = high_products(x, f, _mm_set1_epi64x((int64_t)1 << 30));
    store_four_Y(y, rounded_shifts(high, n), q);
#elif defined(DOT_MVE)
    const int32x4_t s = vldrbq_s32(shift),
                    high = vqrdmulhq_s32(vldrwq_s32(sums), vldrwq_s32(factor));
    const int32x4_t whole = vrshlq_s32(vqaddq_s32(high, vshrq_n_s32(vandq_s32(high, s), 31)), s);
    store_four_Y(y, whole, q);
#elif defined(DOT_NEON)
    int32_t bytes;
    int32x4_t s, high;
    __builtin_memcpy(&bytes, shift, 4);
    s = vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(bytes)))));
    high = vqrdmulhq_s32(vld1q_s32(sums), vld1q_s32(factor));
    store_four_Y(y, vrshlq_s32(vqaddq_s32(high, vshrq_n_s32(vandq_s32(high, s), 31)), s), q);
#else
    int32_t i;
    for (i = 0; i < 4; ++i) y[i] = (Y)code_of_sum(sums[i], factor[i], shift[i], q);
#endif
}

/* kernel four_rounded: Y */
/* As quantize_one. */
static inline void four_rounded(const int32_t* sums, const float* factor, const requant_t* q,
                                Y* y) {
#if defined(DOT_AVX2) || defined(DOT_SSE2)
    const __m128 most = _mm_set1_ps(65536.0f); /* far outside of all codes */
    const __m128 x = _mm_mul_ps(_mm_cvtepi32_ps(_mm_loadu_si128((const __m128i*)(const void*)sums)),
                                _mm_loadu_ps(factor));
    store_four_Y(
        y, _mm_cvtps_epi32(_mm_max_ps(_mm_min_ps(x, most), _mm_sub_ps(_mm_setzero_ps(), most))), q);
#elif defined(DOT_NEON) || (defined(DOT_MVE) && (__ARM_FEATURE_MVE & 2))
    const float32x4_t most = vdupq_n_f32(65536.0f); /* far outside of all codes */
    const float32x4_t x = vmulq_f32(vcvtq_f32_s32(vld1q_s32(sums)), vld1q_f32(factor));
    store_four_Y(y, vcvtnq_s32_f32(vmaxnmq_f32(vminnmq_f32(x, most), vnegq_f32(most))), q);
#else
    int32_t i;
    for (i = 0; i < 4; ++i)
        y[i] = (Y)quantize_one((float)sums[i] * factor[i], q->y_zero, q->y_low, q->y_high);
#endif
}

/* kernel four_stored */
/* The zero point added, within the limits. */
#if defined(DOT_AVX2) || defined(DOT_SSE2)
static inline __m128i limited_words(__m128i x, const requant_t* q) {
    const __m128i words = _mm_adds_epi16(x, _mm_set1_epi16((int16_t)q->y_zero));
    return _mm_max_epi16(_mm_min_epi16(words, _mm_set1_epi16((int16_t)q->y_high)),
                         _mm_set1_epi16((int16_t)q->y_low));
}

static inline void store_four_int8_t(int8_t* y, __m128i x, const requant_t* q) {
    const __m128i words = limited_words(_mm_packs_epi32(x, x), q);
    const int32_t bytes = _mm_cvtsi128_si32(_mm_packs_epi16(words, words));
    __builtin_memcpy(y, &bytes, 4);
}

static inline void store_four_uint8_t(uint8_t* y, __m128i x, const requant_t* q) {
    const __m128i words = limited_words(_mm_packs_epi32(x, x), q);
    const int32_t bytes = _mm_cvtsi128_si32(_mm_packus_epi16(words, words));
    __builtin_memcpy(y, &bytes, 4);
}

/* (v * m + add) / 2^31, rounded down; m is 0 to 2^31. */
static inline __m128i high_products(__m128i v, __m128i m, __m128i add) {
    /* Of the upper half, as v is taken without its sign. */
    const __m128i less = _mm_and_si128(m, _mm_srai_epi32(v, 31));
    __m128i even = _mm_mul_epu32(v, m),
            odd = _mm_mul_epu32(_mm_srli_epi64(v, 32), _mm_srli_epi64(m, 32));
    even = _mm_add_epi64(_mm_sub_epi64(even, _mm_slli_epi64(less, 32)), add);
    odd = _mm_add_epi64(_mm_sub_epi64(odd, _mm_slli_epi64(_mm_srli_epi64(less, 32), 32)), add);
    even = _mm_srli_epi64(even, 31);
    odd = _mm_slli_epi64(_mm_srli_epi64(odd, 31), 32);
    return _mm_or_si128(odd, _mm_srli_epi64(_mm_slli_epi64(even, 32), 32));
}

/* v / 2^n to nearest, ties away from zero; n is 0 to 31. */
static inline __m128i rounded_shifts(__m128i v, __m128i n) {
    const __m128i negative =
        _mm_and_si128(_mm_srai_epi32(v, 31), _mm_cmpgt_epi32(n, _mm_setzero_si128()));
#if defined(DOT_AVX2)
    const __m128i half = _mm_srli_epi32(_mm_sllv_epi32(_mm_set1_epi32(1), n), 1);
    return _mm_srav_epi32(_mm_add_epi32(_mm_add_epi32(v, half), negative), n);
#else
    /* 2^(n - 1), of n = 0 none, and 2^(31 - n), by the exponents of floats; what no int32_t holds
     * becomes its sign bit, which is 2^31. */
    const __m128i half = _mm_cvttps_epi32(
        _mm_castsi128_ps(_mm_slli_epi32(_mm_add_epi32(n, _mm_set1_epi32(126)), 23)));
    const __m128i part = _mm_cvttps_epi32(
        _mm_castsi128_ps(_mm_slli_epi32(_mm_sub_epi32(_mm_set1_epi32(158), n), 23)));
    return high_products(_mm_add_epi32(_mm_add_epi32(v, half), negative), part,
                         _mm_setzero_si128());
#endif
}
#elif defined(DOT_MVE)
static inline int32x4_t four_limited(int32x4_t x, const requant_t* q) {
    return vmaxq_s32(vminq_s32(vqaddq_s32(x, vdupq_n_s32(q->y_zero)), vdupq_n_s32(q->y_high)),
                     vdupq_n_s32(q->y_low));
}

static inline void store_four_int8_t(int8_t* y, int32x4_t x, const requant_t* q) {
    vstrbq_s32(y, four_limited(x, q));
}

static inline void store_four_uint8_t(uint8_t* y, int32x4_t x, const requant_t* q) {
    vstrbq_u32(y, vreinterpretq_u32_s32(four_limited(x, q)));
}
#elif defined(DOT_NEON)
static inline int32_t four_limited(int32x4_t x, const requant_t* q) {
    const int32x4_t all =
        vmaxq_s32(vminq_s32(vqaddq_s32(x, vdupq_n_s32(q->y_zero)), vdupq_n_s32(q->y_high)),
                  vdupq_n_s32(q->y_low));
    const int16x4_t words = vmovn_s32(all);
    return vget_lane_s32(vreinterpret_s32_s8(vmovn_s16(vcombine_s16(words, words))), 0);
}

static inline void store_four_int8_t(int8_t* y, int32x4_t x, const requant_t* q) {
    const int32_t bytes = four_limited(x, q);
    __builtin_memcpy(y, &bytes, 4);
}

static inline void store_four_uint8_t(uint8_t* y, int32x4_t x, const requant_t* q) {
    const int32_t bytes = four_limited(x, q);
    __builtin_memcpy(y, &bytes, 4);
}
#endif

/* kernel many_stored */
/* What four_fixed, four_rounded and their stores do, of more sums; shifts s are to the left. */
#if defined(DOT_AVX512)
static inline __m512i sixteen_fixed(const int32_t* sums, const int32_t* factor,
                                    const int8_t* shift) {
    const __m512i x = _mm512_loadu_si512(sums), f = _mm512_loadu_si512(factor),
                  s = _mm512_cvtepi8_epi32(loaded(shift)), nudge = _mm512_set1_epi64(1 << 30);
    const __m512i even = _mm512_mul_epi32(x, f),
                  odd = _mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(f, 32));
    const __m512i v =
        _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(_mm512_add_epi64(even, nudge), 31),
                                _mm512_slli_epi64(_mm512_add_epi64(odd, nudge), 1));
    const __m512i half = _mm512_sllv_epi32(
        _mm512_set1_epi32(1), _mm512_xor_si512(s, _mm512_set1_epi32(-1))); /* of no shift none */
    const __m512i negative =
        _mm512_mask_add_epi32(v, _mm512_test_epi32_mask(s, s), v, _mm512_srai_epi32(v, 31));
    return _mm512_srav_epi32(_mm512_add_epi32(negative, half),
                             _mm512_sub_epi32(_mm512_setzero_si512(), s));
}

static inline __m512i sixteen_rounded(const int32_t* sums, const float* factor) {
    const __m512 most = _mm512_set1_ps(65536.0f); /* far outside of all codes */
    const __m512 x =
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_loadu_si512(sums)), _mm512_loadu_ps(factor));
    return _mm512_cvtps_epi32(
        _mm512_max_ps(_mm512_min_ps(x, most), _mm512_sub_ps(_mm512_setzero_ps(), most)));
}

static inline void store_sixteen(void* y, __m512i x, const requant_t* q) {
    const __m512i most = _mm512_set1_epi32(q->y_high - q->y_zero),
                  least = _mm512_set1_epi32(q->y_low - q->y_zero);
    x = _mm512_max_epi32(_mm512_min_epi32(x, most), least);
    x = _mm512_add_epi32(x, _mm512_set1_epi32(q->y_zero));
    stored(y, _mm512_cvtepi32_epi8(x));
}
#endif
#if defined(DOT_AVX2)
/* Stored as two times four. */
static inline __m256i eight_sums(const int32_t* sums) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(loaded(sums)), loaded(sums + 4), 1);
}

static inline __m256i eight_fixed(const int32_t* sums, const int32_t* factor, const int8_t* shift) {
    const __m256i x = eight_sums(sums), f = _mm256_loadu_si256((const __m256i*)(const void*)factor),
                  s = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i*)(const void*)shift)),
                  nudge = _mm256_set1_epi64x(1 << 30);
    const __m256i even = _mm256_mul_epi32(x, f),
                  odd = _mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(f, 32));
    const __m256i v = _mm256_blend_epi32(_mm256_srli_epi64(_mm256_add_epi64(even, nudge), 31),
                                         _mm256_slli_epi64(_mm256_add_epi64(odd, nudge), 1), 0xaa);
    const __m256i half = _mm256_sllv_epi32(
        _mm256_set1_epi32(1), _mm256_xor_si256(s, _mm256_set1_epi32(-1))); /* of no shift none */
    const __m256i negative = _mm256_and_si256(_mm256_srai_epi32(v, 31), _mm256_srai_epi32(s, 31));
    return _mm256_srav_epi32(_mm256_add_epi32(_mm256_add_epi32(v, half), negative),
                             _mm256_sub_epi32(_mm256_setzero_si256(), s));
}

static inline __m256i eight_rounded(const int32_t* sums, const float* factor) {
    const __m256 most = _mm256_set1_ps(65536.0f); /* far outside of all codes */
    const __m256 x = _mm256_mul_ps(_mm256_cvtepi32_ps(eight_sums(sums)), _mm256_loadu_ps(factor));
    return _mm256_cvtps_epi32(
        _mm256_max_ps(_mm256_min_ps(x, most), _mm256_sub_ps(_mm256_setzero_ps(), most)));
}

static inline __m128i eight_words(__m256i x, const requant_t* q) {
    return limited_words(_mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)),
                         q);
}

static inline void store_eight_int8_t(int8_t* y, __m256i x, const requant_t* q) {
    const __m128i words = eight_words(x, q);
    _mm_storel_epi64((__m128i*)(void*)y, _mm_packs_epi16(words, words));
}

static inline void store_eight_uint8_t(uint8_t* y, __m256i x, const requant_t* q) {
    const __m128i words = eight_words(x, q);
    _mm_storel_epi64((__m128i*)(void*)y, _mm_packus_epi16(words, words));
}
#endif
