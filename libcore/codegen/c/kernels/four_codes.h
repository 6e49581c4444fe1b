/* The codes of four sums of products, by the vectors that dot.h has found. */
#pragma once

#include <stdint.h>

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
static inline __m128i four_words(__m128i x, const requant_t* q) {
    const __m128i words = _mm_adds_epi16(_mm_packs_epi32(x, x), _mm_set1_epi16((int16_t)q->y_zero));
    return _mm_max_epi16(_mm_min_epi16(words, _mm_set1_epi16((int16_t)q->y_high)),
                         _mm_set1_epi16((int16_t)q->y_low));
}

static inline void store_four_int8_t(int8_t* y, __m128i x, const requant_t* q) {
    const __m128i words = four_words(x, q);
    const int32_t bytes = _mm_cvtsi128_si32(_mm_packs_epi16(words, words));
    __builtin_memcpy(y, &bytes, 4);
}

static inline void store_four_uint8_t(uint8_t* y, __m128i x, const requant_t* q) {
    const __m128i words = four_words(x, q);
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
