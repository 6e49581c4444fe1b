// One rounded row by eight rows of weights, each read once: the loop of decoding, which waits for memory.
#pragma once

#include <algorithm>

#include "libcore/kernels/blocks/code_loops.h"
#include "libcore/kernels/blocks/dots_avx2.h"

#if defined(__x86_64__)
namespace quern::block_kernels {

constexpr int64_t line_bytes = 64;

// Asks for the rows behind those that are multiplied, as they lie, a piece with each block, into the second cache (the first one is full
// of the rows at hand): rows are too short for a processor to see how
// it goes on.
struct NextRows {
    Block first;
    int64_t columns;

    NextRows(const BlockMatrix& weights, int64_t begin, int64_t count) : first(weights.row(begin + count)), columns(count) {}
    QUERN_INLINE_AVX2 void ask(int64_t offset, int64_t bytes) const {
        const int64_t end = columns * (offset + bytes);
        for (int64_t from = (columns * offset + line_bytes - 1) / line_bytes * line_bytes; from < end; from += line_bytes)
            _mm_prefetch(first + from, _MM_HINT_T1);
    }
};

template <int count>
Rows<count> rows_of(const BlockMatrix& weights, int64_t first) {
    Rows<count> rows{{}, static_cast<int64_t>(weights.row_bytes)};
    for (int i = 0; i < count / 4; ++i) rows.base[i] = weights.row(first + 4 * i);
    return rows;
}

// Runs `tile`(first, sums) over as many columns as it takes and gives the `count` from `first` on; the last ones of a matrix once more if
// fewer are left. A matrix of fewer is computed plainly.
template <int columns, class Tile>
void with_full_tile(const BlockMatrix& weights, int64_t first, int count, const RowView& x, float* out, const Tile& tile) {
    if (weights.columns < columns) return portable_loops.few(weights, first, count, x, out);
    alignas(64) float sums[columns];
    const int64_t from = std::min(first, weights.columns - columns);
    tile(from, sums);
    std::copy_n(sums + (first - from), count, out);
}

// The products of a block of each row with 32 codes of x, in the order of the rows.
template <class F>
QUERN_INLINE_AVX2 __m256i products_of_32(const Rows<8>& rows, const int8_t* x) {
    const __m256i own = load_256(x);
    __m256i partial[few_columns];
#pragma GCC unroll 8
    for (int c = 0; c < few_columns; ++c)
        partial[c] = _mm256_madd_epi16(pair_products<F::is_signed>(F::codes(rows.at(c), 0), own), _mm256_set1_epi16(1));
    return sums_of_8(partial);
}

// Four bytes of each row beside each other: bytes 4 i and following in `fours[i]`.
QUERN_INLINE_AVX2 void beside_each_other(const Rows<8>& rows, int64_t offset, __m256i (&fours)[4]) {
    __m256i pairs[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) pairs[i] = _mm256_set_m128i(load_128(rows.at(i + 4) + offset), load_128(rows.at(i) + offset));
    const __m256i a = _mm256_unpacklo_epi32(pairs[0], pairs[1]), b = _mm256_unpacklo_epi32(pairs[2], pairs[3]);
    const __m256i c = _mm256_unpackhi_epi32(pairs[0], pairs[1]), d = _mm256_unpackhi_epi32(pairs[2], pairs[3]);
    fours[0] = _mm256_unpacklo_epi64(a, b);
    fours[1] = _mm256_unpackhi_epi64(a, b);
    fours[2] = _mm256_unpacklo_epi64(c, d);
    fours[3] = _mm256_unpackhi_epi64(c, d);
}

// The same where codes are nibbles, without sums across lanes.
template <class F>
requires(F::nibbles_at > 0) QUERN_INLINE_AVX2 __m256i products_of_32(const Rows<8>& rows, const int8_t* x) {
    __m256i fours[4], whole = _mm256_setzero_si256();
    beside_each_other(rows, F::nibbles_at, fours);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += F::chain) {
        __m256i sum = _mm256_setzero_si256();
#pragma GCC unroll 8
        for (int k = i; k < i + F::chain; ++k) {
            const __m256i codes = F::of_nibbles(bits_at(fours[k % 4], k / 4 * 4, 15));
            const __m256i own = _mm256_set1_epi32(blocks::load<int32_t>(reinterpret_cast<Block>(x + 4 * k)));
            sum = _mm256_add_epi16(sum, pair_products<F::is_signed>(codes, own));
        }
        whole = _mm256_add_epi32(whole, _mm256_madd_epi16(sum, _mm256_set1_epi16(1)));
    }
    return whole;
}

template <class F>
QUERN_INLINE_AVX2 __m256 sums_by_32(Rows<8> rows, const NextRows& next, int64_t depth, const RowView& x) {
    __m256 sum = _mm256_setzero_ps();
    for (int64_t b = 0; b < depth / 32; ++b, rows.go_on(F::bytes)) {
        next.ask(b * F::bytes, F::bytes);
        __m256i whole = products_of_32<F>(rows, x.codes + 32 * b);
        if constexpr (F::offset != 0) whole = _mm256_sub_epi32(whole, _mm256_set1_epi32(F::offset * x.sums_32[b]));
        sum = added(sum, F::template scales<0>(rows), x.scales[b], whole);
        if constexpr (F::has_min) sum = _mm256_add_ps(sum, _mm256_mul_ps(F::template mins<0>(rows), _mm256_set1_ps(x.sums[b])));
    }
    return sum;
}

// Of 32 codes, group g of a block, what their pairs are multiplied by.
QUERN_INLINE_AVX2 __m256i pair_factors(const Super& own, int g) {
    return _mm256_shuffle_epi8(own.factors, _mm256_set1_epi16(static_cast<int16_t>(g * 0x202 + 0x100)));
}

// The sums of x by parts, each times a number of its part.
template <class F>
QUERN_INLINE_AVX2 __m256i part_products(__m256i numbers, const RowView& x, int64_t b) {
    if constexpr (F::part == 16) return _mm256_madd_epi16(numbers, load_256(x.sums_16 + 16 * b));
    return _mm256_zextsi128_si256(_mm_madd_epi16(_mm256_castsi256_si128(numbers), load_128(x.sums_32 + 8 * b)));
}

template <class F>
QUERN_INLINE_AVX2 __m256i less_offset(__m256i sum, const Super& own, const RowView& x, int64_t b) {
    if constexpr (F::offset == 0) return sum;
    constexpr int digits = F::offset == 32 ? 5 : 2;
    static_assert(F::offset == 0 || F::offset == 1 << digits);
    return _mm256_sub_epi32(sum, _mm256_slli_epi32(part_products<F>(own.scales, x, b), digits));
}

template <class F>
QUERN_INLINE_AVX2 __m256i block_products(Block block, const Super& own, const RowView& x, int64_t b) {
    __m256i sum = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
        const __m256i pairs = pair_products<F::is_signed>(F::codes(block, g), load_256(x.codes + 256 * b + 32 * g));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, pair_factors(own, g)));
    }
    return less_offset<F>(sum, own, x, b);
}

// What a block of each of eight rows adds to the results.
template <class F>
struct SuperSums {
    __m256i products[few_columns], lows[few_columns];
    alignas(32) float scales[few_columns], mins[few_columns];

    QUERN_INLINE_AVX2 void put(int c, const Super& own, __m256i sum, const RowView& x, int64_t b) {
        products[c] = sum;
        scales[c] = own.scale;
        if constexpr (F::has_min) {
            lows[c] = part_products<F>(own.mins, x, b);
            mins[c] = own.min_scale;
        }
    }
    QUERN_INLINE_AVX2 __m256 added_to(__m256 sum, float of_x) const {
        sum = added(sum, _mm256_load_ps(scales), of_x, sums_of_8(products));
        if constexpr (F::has_min) sum = less(sum, _mm256_load_ps(mins), of_x, sums_of_8(lows));
        return sum;
    }
};

template <class F>
QUERN_INLINE_AVX2 __m256 sums_by_256(Rows<8> rows, const NextRows& next, int64_t depth, const RowView& x) {
    __m256 sum = _mm256_setzero_ps();
    for (int64_t b = 0; b < depth / 256; ++b, rows.go_on(F::bytes)) {
        next.ask(b * F::bytes, F::bytes);
        SuperSums<F> all;
        for (int c = 0; c < few_columns; ++c) {
            const Super own = F::scales(rows.at(c));
            all.put(c, own, block_products<F>(rows.at(c), own, x, b), x, b);
        }
        sum = all.added_to(sum, x.scales[b]);
    }
    return sum;
}

template <class F>
QUERN_AVX2 void tile_avx2(const BlockMatrix& weights, int64_t first, const RowView& x, float* sums) {
    const auto rows = rows_of<few_columns>(weights, first);
    const NextRows next(weights, first, few_columns);
    if constexpr (F::elements == 32)
        _mm256_store_ps(sums, sums_by_32<F>(rows, next, weights.depth, x));
    else
        _mm256_store_ps(sums, sums_by_256<F>(rows, next, weights.depth, x));
}

template <class F>
void few_avx2(const BlockMatrix& weights, int64_t first, int count, const RowView& x, float* out) {
    with_full_tile<few_columns>(weights, first, count, x, out, [&](int64_t from, float* sums) { tile_avx2<F>(weights, from, x, sums); });
}

}  // namespace quern::block_kernels
#endif
