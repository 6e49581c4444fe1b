// One rounded row by rows of weights with AVX-512 and VNNI: sixteen rows where codes are nibbles, else eight, of blocks of 256.
#pragma once

#include "libcore/kernels/blocks/few_avx2.h"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // what GCC 12 says of its own intrinsics
#endif
#define QUERN_VNNI __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni")))
#define QUERN_INLINE_VNNI QUERN_VNNI inline __attribute__((always_inline))

namespace quern::block_kernels {

constexpr int nibble_columns = 16;

// The same format with codes from 0 on: signed ones are 128 more.
template <class F>
struct FromZero : F {
    static constexpr bool is_signed = false;
    static constexpr int offset = F::is_signed ? 128 : F::offset;
    QUERN_INLINE_AVX2 static __m256i shifted(__m256i codes) {
        return F::is_signed ? _mm256_xor_si256(codes, _mm256_set1_epi8(-128)) : codes;
    }
    QUERN_INLINE_AVX2 static __m256i codes(Block block, int g) { return shifted(F::codes(block, g)); }
};

// Four codes of x, for all lanes.
QUERN_INLINE_VNNI __m512i four_codes(const int8_t* x) { return _mm512_set1_epi32(blocks::load<int32_t>(reinterpret_cast<Block>(x))); }

// ---- nibbles ---------------------------------------------------------------------------------------------------------------

// Sixteen bytes of rows r, r + 4, r + 8 and r + 12 each; then four bytes of each row beside each other, as beside_each_other.
QUERN_INLINE_VNNI void sixteen_beside(const Rows<16>& rows, int64_t offset, __m512i (&fours)[4]) {
    __m512i lanes[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        const __m512i first = _mm512_castsi128_si512(load_128(rows.at(i) + offset));
        const __m512i half = _mm512_inserti32x4(first, load_128(rows.at(i + 4) + offset), 1);
        lanes[i] =
            _mm512_inserti32x4(_mm512_inserti32x4(half, load_128(rows.at(i + 8) + offset), 2), load_128(rows.at(i + 12) + offset), 3);
    }
    const __m512i a = _mm512_unpacklo_epi32(lanes[0], lanes[1]), b = _mm512_unpacklo_epi32(lanes[2], lanes[3]);
    const __m512i c = _mm512_unpackhi_epi32(lanes[0], lanes[1]), d = _mm512_unpackhi_epi32(lanes[2], lanes[3]);
    fours[0] = _mm512_unpacklo_epi64(a, b);
    fours[1] = _mm512_unpackhi_epi64(a, b);
    fours[2] = _mm512_unpacklo_epi64(c, d);
    fours[3] = _mm512_unpackhi_epi64(c, d);
}

// Codes from 0 on of nibbles.
template <class F>
QUERN_INLINE_VNNI __m512i codes_of_nibbles(__m512i all) {
    const __m256i table = FromZero<F>::shifted(
        F::of_nibbles(_mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm256_castsi256_si128(table)), all);
}

template <class F>
QUERN_INLINE_VNNI __m512i sixteen_products(const Rows<16>& rows, const int8_t* x, __m512i begin) {
    __m512i fours[4], sums[2] = {begin, _mm512_setzero_si512()};
    sixteen_beside(rows, F::nibbles_at, fours);
    const __m512i low = _mm512_set1_epi8(15);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        __m512i first = _mm512_and_si512(fours[i], low), second = _mm512_and_si512(_mm512_srli_epi16(fours[i], 4), low);
        if constexpr (F::chain < 8) first = codes_of_nibbles<F>(first), second = codes_of_nibbles<F>(second);
        sums[0] = _mm512_dpbusd_epi32(sums[0], first, four_codes(x + 4 * i));
        sums[1] = _mm512_dpbusd_epi32(sums[1], second, four_codes(x + 16 + 4 * i));
    }
    return _mm512_add_epi32(sums[0], sums[1]);
}

QUERN_INLINE_VNNI __m512 joined_halves(__m256 low, __m256 high) {
    return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1));
}

QUERN_INLINE_VNNI __m512 added_512(__m512 sum, __m512 scales, float of_x, __m512i whole) {
    return _mm512_add_ps(sum, _mm512_mul_ps(_mm512_mul_ps(scales, _mm512_set1_ps(of_x)), _mm512_cvtepi32_ps(whole)));
}

template <class F>
QUERN_VNNI void nibbles_tile(const BlockMatrix& weights, int64_t first, const RowView& x, float* sums) {
    auto rows = rows_of<nibble_columns>(weights, first);
    const NextRows next(weights, first, nibble_columns);
    __m512 sum = _mm512_setzero_ps();
    for (int64_t b = 0; b < weights.depth / 32; ++b, rows.go_on(F::bytes)) {
        next.ask(b * F::bytes, F::bytes);
        const __m512i whole = sixteen_products<F>(rows, x.codes + 32 * b, _mm512_set1_epi32(-FromZero<F>::offset * x.sums_32[b]));
        sum = added_512(sum, joined_halves(F::template scales<0>(rows), F::template scales<8>(rows)), x.scales[b], whole);
        if constexpr (F::has_min) {
            const __m512 mins = joined_halves(F::template mins<0>(rows), F::template mins<8>(rows));
            sum = _mm512_add_ps(sum, _mm512_mul_ps(mins, _mm512_set1_ps(x.sums[b])));
        }
    }
    _mm512_store_ps(sums, sum);
}

template <class F>
void few_nibbles(const BlockMatrix& weights, int64_t first, int count, const RowView& x, float* out) {
    with_full_tile<nibble_columns>(weights, first, count, x, out,
                                   [&](int64_t from, float* sums) { nibbles_tile<F>(weights, from, x, sums); });
}

// ---- blocks of 256 ---------------------------------------------------------------------------------------------------------

QUERN_INLINE_VNNI __m512i joined_codes(__m256i low, __m256i high) { return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1); }
QUERN_INLINE_VNNI __m512i low_bits(__m512i bytes, int8_t mask) { return _mm512_and_si512(bytes, _mm512_set1_epi8(mask)); }
// The same 32 bytes twice, their bits from `low` on and from `high` on.
QUERN_INLINE_VNNI __m512i two_shifts(Block from, int low, int high) {
    const __m512i by = joined_codes(_mm256_set1_epi16(static_cast<int16_t>(low)), _mm256_set1_epi16(static_cast<int16_t>(high)));
    return _mm512_srlv_epi16(_mm512_broadcast_i64x4(load_256(from)), by);
}

// Elements 64 h and following.
template <class F>
struct Wide {
    QUERN_INLINE_VNNI static __m512i codes(Block block, int h) {
        return joined_codes(FromZero<F>::codes(block, 2 * h), FromZero<F>::codes(block, 2 * h + 1));
    }
};
template <>
struct Wide<Q2K> {
    QUERN_INLINE_VNNI static __m512i codes(Block block, int h) {
        return low_bits(two_shifts(block + 16 + h / 2 * 32, h % 2 * 4, h % 2 * 4 + 2), 3);
    }
};
template <>
struct Wide<Q4K> {
    QUERN_INLINE_VNNI static __m512i codes(Block block, int h) { return low_bits(two_shifts(block + 16 + h * 32, 0, 4), 15); }
};
template <>
struct Wide<Q5K> {
    QUERN_INLINE_VNNI static __m512i codes(Block block, int h) {
        const __m512i fifth = low_bits(two_shifts(block + 16, 2 * h, 2 * h + 1), 1);
        return _mm512_or_si512(low_bits(two_shifts(block + 48 + h * 32, 0, 4), 15), _mm512_slli_epi16(fifth, 4));
    }
};
template <>
struct Wide<Q6K> {
    QUERN_INLINE_VNNI static __m512i codes(Block block, int h) {
        const __m512i both = _mm512_loadu_si512(block + h / 2 * 64), low = low_bits(h % 2 == 0 ? both : _mm512_srli_epi16(both, 4), 15);
        const __m512i high = low_bits(two_shifts(block + 128 + h / 2 * 32, h % 2 * 4, h % 2 * 4 + 2), 3);
        return _mm512_or_si512(low, _mm512_slli_epi16(high, 4));
    }
};

template <class F>
QUERN_INLINE_VNNI __m256i wide_block_products(Block block, const Super& own, const RowView& x, int64_t b) {
    __m512i sum = _mm512_setzero_si512();
    const __m512i factors = _mm512_broadcast_i64x4(own.factors);
#pragma GCC unroll 4
    for (int h = 0; h < 4; ++h) {
        const __m512i pairs = _mm512_maddubs_epi16(Wide<F>::codes(block, h), _mm512_loadu_si512(x.codes + 256 * b + 64 * h));
        const __m512i at = joined_codes(_mm256_set1_epi16(static_cast<int16_t>(2 * h * 0x202 + 0x100)),
                                        _mm256_set1_epi16(static_cast<int16_t>((2 * h + 1) * 0x202 + 0x100)));
        sum = _mm512_dpwssd_epi32(sum, pairs, _mm512_shuffle_epi8(factors, at));
    }
    const __m256i all = _mm256_add_epi32(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
    return less_offset<F>(all, own, x, b);
}

template <class F>
QUERN_VNNI void tile_256(const BlockMatrix& weights, int64_t first, const RowView& x, float* sums) {
    auto rows = rows_of<few_columns>(weights, first);
    const NextRows next(weights, first, few_columns);
    __m256 sum = _mm256_setzero_ps();
    for (int64_t b = 0; b < weights.depth / 256; ++b, rows.go_on(F::bytes)) {
        next.ask(b * F::bytes, F::bytes);
        SuperSums<F> all;
        for (int c = 0; c < few_columns; ++c) {
            const Super own = F::scales(rows.at(c));
            all.put(c, own, wide_block_products<F>(rows.at(c), own, x, b), x, b);
        }
        sum = all.added_to(sum, x.scales[b]);
    }
    _mm256_store_ps(sums, sum);
}

template <class F>
void few_256(const BlockMatrix& weights, int64_t first, int count, const RowView& x, float* out) {
    with_full_tile<few_columns>(weights, first, count, x, out, [&](int64_t from, float* sums) { tile_256<F>(weights, from, x, sums); });
}

}  // namespace quern::block_kernels
#endif
