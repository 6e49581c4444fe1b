/* Sums of products of codes with weights that were laid out when the source was made: by what the
   compiler says that the machine has, else plain C. Sums of whole numbers are the same in any
   order, so all give the same. */
#pragma once

#include <stdint.h>

/* kernel dot_rows: X W BITS FLIP WIDE */
/* sums[r]: start[r] and the products of x with row r of four. w has the rows sixteen by sixteen,
   [depth / 16][4][16], behind the end 0; of x sixteen can be read, too. */
static inline void dot_rows(const X* x, const W* w, int32_t depth, const int32_t* start,
                            int32_t* sums) {
    int32_t c;
#if defined(DOT_VNNI) && BITS == 8
    const __m256i flip = _mm256_set1_epi8((char)(uint8_t)FLIP);
    __m256i a = _mm256_setzero_si256(), b = a;
    for (c = 0; c < depth; c += 16, w += 64) {
        const __m256i u = _mm256_broadcastsi128_si256(loaded(x + c));
        const __m256i* v = (const __m256i*)(const void*)w;
        a = DOT_BYTES(a, _mm256_xor_si256(u, flip), _mm256_loadu_si256(v));
        b = DOT_BYTES(b, _mm256_xor_si256(u, flip), _mm256_loadu_si256(v + 1));
    }
    b = _mm256_hadd_epi32(a, b); /* 0 0 2 2, 1 1 3 3 */
    a = _mm256_hadd_epi32(b, b); /* 0 2 0 2, 1 3 1 3 */
    stored(sums, _mm_add_epi32(loaded(start), _mm_unpacklo_epi32(_mm256_castsi256_si128(a),
                                                                 _mm256_extracti128_si256(a, 1))));
#elif defined(DOT_AVX2)
    __m256i r0 = _mm256_setzero_si256(), r1 = r0, r2 = r0, r3 = r0;
    for (c = 0; c < depth; c += 16, w += 64) {
        const __m256i u = sixteen_X(x + c);
        r0 = _mm256_add_epi32(r0, _mm256_madd_epi16(u, sixteen_int16_t(w)));
        r1 = _mm256_add_epi32(r1, _mm256_madd_epi16(u, sixteen_int16_t(w + 16)));
        r2 = _mm256_add_epi32(r2, _mm256_madd_epi16(u, sixteen_int16_t(w + 32)));
        r3 = _mm256_add_epi32(r3, _mm256_madd_epi16(u, sixteen_int16_t(w + 48)));
    }
    stored(sums, _mm_add_epi32(loaded(start), four_sums(r0, r1, r2, r3)));
#elif defined(DOT_SSE2)
    __m128i r0 = _mm_setzero_si128(), r1 = r0, r2 = r0, r3 = r0;
    for (c = 0; c < depth; c += 16, w += 64) {
        const __m128i u = low_X(loaded(x + c)), v = high_X(loaded(x + c));
        r0 = _mm_add_epi32(r0, _mm_madd_epi16(u, loaded(w)));
        r1 = _mm_add_epi32(r1, _mm_madd_epi16(u, loaded(w + 16)));
        r2 = _mm_add_epi32(r2, _mm_madd_epi16(u, loaded(w + 32)));
        r3 = _mm_add_epi32(r3, _mm_madd_epi16(u, loaded(w + 48)));
        r0 = _mm_add_epi32(r0, _mm_madd_epi16(v, loaded(w + 8)));
        r1 = _mm_add_epi32(r1, _mm_madd_epi16(v, loaded(w + 24)));
        r2 = _mm_add_epi32(r2, _mm_madd_epi16(v, loaded(w + 40)));
        r3 = _mm_add_epi32(r3, _mm_madd_epi16(v, loaded(w + 56)));
    }
    stored(sums, _mm_add_epi32(loaded(start), four_sums(r0, r1, r2, r3)));
#elif defined(DOT_NEON) && BITS == 8
    int32x4_t r0 = vdupq_n_s32(0), r1 = r0, r2 = r0, r3 = r0;
    for (c = 0; c < depth; c += 16, w += 64) {
        const int8x16_t u = sixteen_X(x + c);
        r0 = vdotq_s32(r0, u, vld1q_s8((const int8_t*)w));
        r1 = vdotq_s32(r1, u, vld1q_s8((const int8_t*)w + 16));
        r2 = vdotq_s32(r2, u, vld1q_s8((const int8_t*)w + 32));
        r3 = vdotq_s32(r3, u, vld1q_s8((const int8_t*)w + 48));
    }
    vst1q_s32(sums,
              vaddq_s32(vld1q_s32(start), vpaddq_s32(vpaddq_s32(r0, r1), vpaddq_s32(r2, r3))));
#else
    int32_t r0 = start[0], r1 = start[1], r2 = start[2], r3 = start[3];
    for (c = 0; c < depth; c += 16, w += 64) {
#if defined(DOT_MVE) && BITS == 8
        const int8x16_t u = sixteen_X(x + c);
        r0 = vmladavaq_s8(r0, u, vldrbq_s8((const int8_t*)w));
        r1 = vmladavaq_s8(r1, u, vldrbq_s8((const int8_t*)w + 16));
        r2 = vmladavaq_s8(r2, u, vldrbq_s8((const int8_t*)w + 32));
        r3 = vmladavaq_s8(r3, u, vldrbq_s8((const int8_t*)w + 48));
#else
        const int32_t end = depth - c < 16 ? depth - c : 16;
        int32_t k;
#if defined(DOT_MVE)
        for (k = 0; k < end; k += 8) {
            const int16x8_t u = eight_X(x + c + k);
            r0 = vmladavaq_s16(r0, u, eight_WIDE(w + k));
            r1 = vmladavaq_s16(r1, u, eight_WIDE(w + k + 16));
            r2 = vmladavaq_s16(r2, u, eight_WIDE(w + k + 32));
            r3 = vmladavaq_s16(r3, u, eight_WIDE(w + k + 48));
        }
#elif defined(DOT_PAIRS) && BITS == 8
        for (k = 0; k < end; k += 4) {
            const uint32_t word = word_at(x + c + k);
            const int16x2_t u = even_X(word), v = odd_X(word);
            const uint32_t w0 = word_at(w + k), w1 = word_at(w + k + 16), w2 = word_at(w + k + 32),
                           w3 = word_at(w + k + 48);
            r0 = __smlad(v, odd_int8_t(w0), __smlad(u, even_int8_t(w0), r0));
            r1 = __smlad(v, odd_int8_t(w1), __smlad(u, even_int8_t(w1), r1));
            r2 = __smlad(v, odd_int8_t(w2), __smlad(u, even_int8_t(w2), r2));
            r3 = __smlad(v, odd_int8_t(w3), __smlad(u, even_int8_t(w3), r3));
        }
#elif defined(DOT_PAIRS)
        for (k = 0; k < end; k += 4) {
            const uint32_t word = word_at(x + c + k);
            const int16x2_t even = even_X(word), odd = odd_X(word), u = first_pair(even, odd),
                            v = last_pair(even, odd);
            r0 = __smlad(v, (int16x2_t)word_at(w + k + 2),
                         __smlad(u, (int16x2_t)word_at(w + k), r0));
            r1 = __smlad(v, (int16x2_t)word_at(w + k + 18),
                         __smlad(u, (int16x2_t)word_at(w + k + 16), r1));
            r2 = __smlad(v, (int16x2_t)word_at(w + k + 34),
                         __smlad(u, (int16x2_t)word_at(w + k + 32), r2));
            r3 = __smlad(v, (int16x2_t)word_at(w + k + 50),
                         __smlad(u, (int16x2_t)word_at(w + k + 48), r3));
        }
#else
        uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (k = 0; k < end; ++k) {
            const int32_t u = x[c + k];
            s0 += (uint32_t)(u * w[k]);
            s1 += (uint32_t)(u * w[k + 16]);
            s2 += (uint32_t)(u * w[k + 32]);
            s3 += (uint32_t)(u * w[k + 48]);
        }
        r0 = (int32_t)((uint32_t)r0 + s0);
        r1 = (int32_t)((uint32_t)r1 + s1);
        r2 = (int32_t)((uint32_t)r2 + s2);
        r3 = (int32_t)((uint32_t)r3 + s3);
#endif
#endif
    }
    sums[0] = r0;
    sums[1] = r1;
    sums[2] = r2;
    sums[3] = r3;
#endif
}

/* kernel dot_many: X W BITS FLIP ROWS */
/* As dot_rows, of DOT_MANY rows; behind four of them come the next `step` weights on. */
#if defined(DOT_MANY)
static inline void dot_many(const X* x, const W* w, int32_t depth, int32_t step,
                            const int32_t* start, int32_t* sums) {
#if defined(DOT_AVX512) && BITS == 8
    const __m512i flip = _mm512_set1_epi8((char)(uint8_t)FLIP);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i r0 = _mm512_setzero_si512(), r4 = r0, r8 = r0, r12 = r0;
    int32_t c;
    for (c = 0; c < depth; c += 16, w += 64) {
        const __m512i u = _mm512_xor_si512(_mm512_broadcast_i32x4(loaded(x + c)), flip);
        r0 = _mm512_dpbusd_epi32(r0, u, _mm512_loadu_si512(w));
        r4 = _mm512_dpbusd_epi32(r4, u, _mm512_loadu_si512(w + step));
        r8 = _mm512_dpbusd_epi32(r8, u, _mm512_loadu_si512(w + 2 * step));
        r12 = _mm512_dpbusd_epi32(r12, u, _mm512_loadu_si512(w + 3 * step));
    }
    r0 = _mm512_add_epi32(_mm512_unpacklo_epi32(r0, r4), _mm512_unpackhi_epi32(r0, r4));
    r8 = _mm512_add_epi32(_mm512_unpacklo_epi32(r8, r12), _mm512_unpackhi_epi32(r8, r12));
    r0 = _mm512_add_epi32(_mm512_unpacklo_epi64(r0, r8), _mm512_unpackhi_epi64(r0, r8));
    r0 = _mm512_permutexvar_epi32(order, r0); /* 0 4 8 12, 1 5 9 13, ... */
    _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(start), r0));
#else
    int32_t r;
    for (r = 0; r < DOT_MANY; r += 4) ROWS(x, w + r / 4 * step, depth, start + r, sums + r);
#if defined(DOT_AVX512) /* as one vector, which is read as one */
    _mm512_storeu_si512(
        sums,
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set_m128i(loaded(sums + 4), loaded(sums))),
                           _mm256_set_m128i(loaded(sums + 12), loaded(sums + 8)), 1));
#endif
#endif
}
#endif

/* kernel dot_taps: X W BITS WIDE */
/* sums[c]: start[c] and the products of taps[t][c] with w[t][c], of eight channels; behind an odd
   number of taps one can be read, too, of which the weights are 0. */
static inline void dot_taps(const X* const* taps, int32_t at, int32_t count, const W* w,
                            const int32_t* start, int32_t* sums) {
    int32_t t;
#if defined(DOT_AVX2) || defined(DOT_SSE2)
    __m128i low = loaded(start), high = loaded(start + 4);
#if defined(DOT_AVX2)
    __m256i sum = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
#endif
    for (t = 0; t < count; t += 2, w += 16) {
        const __m128i u =
            _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(const void*)(taps[t] + at)),
                              _mm_loadl_epi64((const __m128i*)(const void*)(taps[t + 1] + at)));
#if defined(DOT_VNNI) && BITS == 8
        const __m128i b = loaded(w), v = _mm_unpacklo_epi8(b, _mm_unpackhi_epi64(b, b));
#else
        const __m128i a = loaded(w), b = loaded(w + 8);
#endif
#if defined(DOT_VNNI) && BITS == 8
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(wide_X(u), wide_int8_t(v)));
#elif defined(DOT_AVX2)
        sum = _mm256_add_epi32(
            sum, _mm256_madd_epi16(wide_X(u), _mm256_inserti128_si256(
                                                  _mm256_castsi128_si256(_mm_unpacklo_epi16(a, b)),
                                                  _mm_unpackhi_epi16(a, b), 1)));
#else
        low = _mm_add_epi32(low, _mm_madd_epi16(low_X(u), _mm_unpacklo_epi16(a, b)));
        high = _mm_add_epi32(high, _mm_madd_epi16(high_X(u), _mm_unpackhi_epi16(a, b)));
#endif
    }
#if defined(DOT_AVX2)
    low = _mm256_castsi256_si128(sum);
    high = _mm256_extracti128_si256(sum, 1);
#endif
    stored(sums, low);
    stored(sums + 4, high);
#elif defined(DOT_MVE)
    int32x4x2_t all = vld2q_s32(start);
    for (t = 0; t < count; ++t, w += 8) {
        const int16x8_t u = eight_X(taps[t] + at), v = eight_WIDE(w);
        all.val[0] = vaddq_s32(all.val[0], vmullbq_int_s16(u, v));
        all.val[1] = vaddq_s32(all.val[1], vmulltq_int_s16(u, v));
    }
    vst2q_s32(sums, all);
#elif defined(DOT_NEON)
    int32x4_t low = vld1q_s32(start), high = vld1q_s32(start + 4);
    for (t = 0; t < count; ++t, w += 8) {
        const int16x8_t u = eight_X(taps[t] + at), v = eight_WIDE(w);
        low = vmlal_s16(low, vget_low_s16(u), vget_low_s16(v));
        high = vmlal_high_s16(high, u, v);
    }
    vst1q_s32(sums, low);
    vst1q_s32(sums + 4, high);
#elif defined(DOT_PAIRS)
    int32_t h;
    for (h = 0; h < 8; h += 4) {
        int32_t r0 = start[h], r1 = start[h + 1], r2 = start[h + 2], r3 = start[h + 3];
        for (t = 0; t < count; ++t) {
            const uint32_t word = word_at(taps[t] + at + h);
            const int16x2_t u = even_X(word), v = odd_X(word);
#if BITS == 8
            const uint32_t bytes = word_at(w + 8 * t + h);
            const int16x2_t a = even_int8_t(bytes), b = odd_int8_t(bytes);
            r0 = __smlabb(u, a, r0);
            r1 = __smlabb(v, b, r1);
            r2 = __smlatt(u, a, r2);
            r3 = __smlatt(v, b, r3);
#else
            const int32_t a = (int32_t)word_at(w + 8 * t + h),
                          b = (int32_t)word_at(w + 8 * t + h + 2);
            r0 = __smlabb(u, a, r0);
            r1 = __smlabt(v, a, r1);
            r2 = __smlatb(u, b, r2);
            r3 = __smlatt(v, b, r3);
#endif
        }
        sums[h] = r0;
        sums[h + 1] = r1;
        sums[h + 2] = r2;
        sums[h + 3] = r3;
    }
#else
    int32_t c;
    for (c = 0; c < 8; ++c) sums[c] = start[c];
    for (t = 0; t < count; ++t)
        for (c = 0; c < 8; ++c)
            sums[c] = (int32_t)((uint32_t)sums[c] + (uint32_t)(taps[t][at + c] * w[8 * t + c]));
#endif
}

/* kernel column_of: X FLIP */
/* The codes of sixteen channels in a column of up to four rows, those of a channel together. */
#if defined(DOT_AVX512)
static inline __m512i column_of(const X* const* rows, const int32_t* steps, int32_t count,
                                int32_t column) {
    __m512i u = _mm512_set1_epi8((char)(uint8_t)FLIP);
    u = _mm512_xor_si512(u, apart_bytes(rows[0] + column * steps[0], 0));
    if (count > 1) u = _mm512_xor_si512(u, apart_bytes(rows[1] + column * steps[1], 8));
    if (count > 2) u = _mm512_xor_si512(u, apart_bytes(rows[2] + column * steps[2], 16));
    if (count > 3) u = _mm512_xor_si512(u, apart_bytes(rows[3] + column * steps[3], 24));
    return u;
}
#endif

/* kernel column_filters: FLIP */
/* The weights that columns of sixteen channels are multiplied with, and what their sums begin with,
   of those of dot_taps. */
#if defined(DOT_AVX512)
static inline void column_filters(const int8_t* w, const int32_t* start, int32_t taps,
                                  const conv_t* s, __m512i* filters, int32_t* folded) {
    const int32_t high = (s->kernel_h + 3) / 4;
    __m512i less = _mm512_setzero_si512();
    int32_t h, k;
    for (k = 0; k < s->kernel_w * high; ++k) filters[k] = _mm512_setzero_si512();
    for (h = 0; h < s->kernel_h; ++h)
        for (k = 0; k < s->kernel_w; ++k, w += 8) {
            int8_t both[16];
            __m512i* to = filters + k * high + h / 4;
            __builtin_memcpy(both, w, 8);
            __builtin_memcpy(both + 8, w + 8 * taps, 8);
            *to = _mm512_or_si512(*to, apart_bytes(both, (unsigned)(h % 4 * 8)));
        }
    for (k = 0; k < s->kernel_w * high; ++k)
        less = _mm512_dpbusd_epi32(less, _mm512_set1_epi8((char)(uint8_t)FLIP), filters[k]);
    _mm512_storeu_si512(folded, _mm512_sub_epi32(_mm512_loadu_si512(start), less));
}
#endif
