// Many rounded rows by sixteen rows of weights, whose blocks are unpacked a panel of up to 256 elements at a time: the loop of prompts.
#pragma once

#include <algorithm>

#include "libcore/kernels/blocks/code_loops.h"
#include "libcore/kernels/blocks/few_avx2.h"

#if defined(__x86_64__)
namespace quern::block_kernels {

// Eight rows; those after the last one are the last one again.
struct EightRows {
    Block at[few_columns];

    EightRows(const BlockMatrix& weights, int64_t first, int count) {
        for (int c = 0; c < few_columns; ++c) at[c] = weights.row(first + (c < count ? c : count - 1));
    }
};

constexpr int panel_elements = 256, panel_groups = panel_elements / 32;

// Of sixteen columns. Codes are those of the format, four of a column beside each other.
struct Panel {
    alignas(64) uint8_t codes[panel_elements / 4][many_columns][4];
    alignas(64) int16_t factors[2 * panel_groups][many_columns][2];  // of parts, for blocks of 256
    alignas(64) int16_t lows[panel_groups][many_columns][2];         // what the sums of sixteen codes of x are multiplied by
    alignas(64) float scales[panel_groups][many_columns], mins[panel_groups][many_columns];  // one line per block
};

// Eight vectors of eight, transposed.
QUERN_INLINE_AVX2 void transpose_8(__m256i (&v)[8]) {
    __m256i a[8], b[8];
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_epi32(v[i], v[i + 1]);
        a[i + 1] = _mm256_unpackhi_epi32(v[i], v[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
        b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
        b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
        b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        v[i] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
        v[i + 4] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
    }
}

template <class F>
QUERN_INLINE_AVX2 void pack_codes(const EightRows& rows, int64_t block, int groups, int column, Panel& to) {
#pragma GCC unroll 8
    for (int g = 0; g < panel_groups; ++g) {
        if (g >= groups) return;
        __m256i v[8];
#pragma GCC unroll 8
        for (int c = 0; c < few_columns; ++c)
            v[c] = F::elements == 32 ? F::codes(rows.at[c] + (block + g) * F::bytes, 0) : F::codes(rows.at[c] + block * F::bytes, g);
        transpose_8(v);
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) _mm256_store_si256(reinterpret_cast<__m256i*>(to.codes[g * 8 + i][column]), v[i]);
    }
}

template <class F>
QUERN_INLINE_AVX2 void pack_super(Block block, int column, Panel& to) {
    const Super own = F::scales(block);
    alignas(32) int16_t scales[16], lows[16];
    _mm256_store_si256(reinterpret_cast<__m256i*>(scales), own.scales);
    _mm256_store_si256(reinterpret_cast<__m256i*>(lows),
                       F::has_min ? own.mins : _mm256_mullo_epi16(own.scales, _mm256_set1_epi16(F::offset)));
    to.scales[0][column] = own.scale;
    to.mins[0][column] = own.min_scale;
    for (int i = 0; i < 256 / F::part; ++i)
        for (int k = 0; k < 2; ++k) to.factors[i][column][k] = scales[i];
    for (int g = 0; g < panel_groups; ++g)
        for (int k = 0; k < 2; ++k) to.lows[g][column][k] = lows[F::part == 32 ? g : 2 * g + k];
}

template <class F>
QUERN_INLINE_AVX2 void pack(const EightRows& rows, int64_t block, int groups, int column, Panel& to) {
    pack_codes<F>(rows, block, groups, column, to);
    for (int c = 0; c < few_columns; ++c) {
        if constexpr (F::elements == 256)
            pack_super<F>(rows.at[c] + block * F::bytes, column + c, to);
        else
            for (int g = 0; g < groups; ++g) {
                to.scales[g][column + c] = F::scale(rows.at[c] + (block + g) * F::bytes);
                if constexpr (F::has_min) to.mins[g][column + c] = F::min(rows.at[c] + (block + g) * F::bytes);
            }
    }
}

constexpr int tile_rows = 4, halves = many_columns / 8;
using Whole = __m256i[tile_rows][halves];

// Adds the products of four codes each, from step `first` of a group on, as many as fit into 16 bits.
template <class F, int run>
QUERN_INLINE_AVX2 void add_run(const Panel& panel, int g, int first, const RowView (&x)[tile_rows], Whole& total) {
    Whole sums;
#pragma GCC unroll 8
    for (int i = first; i < first + run; ++i) {
        const __m256i a = load_256(panel.codes[8 * g + i][0]), b = load_256(panel.codes[8 * g + i][8]);
#pragma GCC unroll 4
        for (int r = 0; r < tile_rows; ++r) {
            const __m256i own = _mm256_set1_epi32(blocks::load<int32_t>(reinterpret_cast<Block>(x[r].codes + 32 * g + 4 * i)));
            const __m256i pa = pair_products<F::is_signed>(a, own), pb = pair_products<F::is_signed>(b, own);
            sums[r][0] = i == first ? pa : _mm256_add_epi16(sums[r][0], pa);
            sums[r][1] = i == first ? pb : _mm256_add_epi16(sums[r][1], pb);
        }
    }
#pragma GCC unroll 2
    for (int h = 0; h < halves; ++h) {
        __m256i factors = _mm256_set1_epi16(1);
        if constexpr (F::elements == 256) factors = load_256(panel.factors[F::part == 32 ? g : 2 * g + first / 4][8 * h]);
#pragma GCC unroll 4
        for (int r = 0; r < tile_rows; ++r) total[r][h] = _mm256_add_epi32(total[r][h], _mm256_madd_epi16(sums[r][h], factors));
    }
}

template <class F>
QUERN_INLINE_AVX2 void add_group(const Panel& panel, int g, const RowView (&x)[tile_rows], Whole& total) {
    constexpr int run = std::min(F::chain, F::part / 4);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i += run) add_run<F, run>(panel, g, i, x, total);
}

QUERN_INLINE_AVX2 __m256i pair_of_sums(const RowView& x, int g) {
    return _mm256_set1_epi32(blocks::load<int32_t>(reinterpret_cast<Block>(x.sums_16 + 2 * g)));
}

// What a block of the panel, line `line` of its scales, adds to the sums of four rows.
template <class F>
QUERN_INLINE_AVX2 void add_real(const Panel& panel, int line, const RowView (&x)[tile_rows], int64_t block, const Whole& total,
                                const Whole& low, float* const (&sums)[tile_rows]) {
#pragma GCC unroll 2
    for (int h = 0; h < halves; ++h) {
        const __m256 scales = _mm256_load_ps(panel.scales[line] + 8 * h), mins = _mm256_load_ps(panel.mins[line] + 8 * h);
#pragma GCC unroll 4
        for (int r = 0; r < tile_rows; ++r) {
            __m256 sum = added(_mm256_load_ps(sums[r] + 8 * h), scales, x[r].scales[block], total[r][h]);
            if constexpr (F::has_min && F::elements == 32) sum = _mm256_add_ps(sum, _mm256_mul_ps(mins, _mm256_set1_ps(x[r].sums[block])));
            if constexpr (F::has_min && F::elements == 256) sum = less(sum, mins, x[r].scales[block], low[r][h]);
            _mm256_store_ps(sums[r] + 8 * h, sum);
        }
    }
}

template <class F>
QUERN_INLINE_AVX2 void add_panel_32(const Panel& panel, int groups, const RowView (&x)[tile_rows], float* const (&sums)[tile_rows]) {
    for (int g = 0; g < groups; ++g) {
        Whole total;
#pragma GCC unroll 4
        for (int r = 0; r < tile_rows; ++r) {
            const __m256i begin = F::offset == 0 ? _mm256_setzero_si256() : _mm256_set1_epi32(-F::offset * x[r].sums_32[g]);
            total[r][0] = total[r][1] = begin;
        }
        add_group<F>(panel, g, x, total);
        add_real<F>(panel, g, x, g, total, total, sums);
    }
}

template <class F>
QUERN_INLINE_AVX2 void add_panel_256(const Panel& panel, const RowView (&x)[tile_rows], float* const (&sums)[tile_rows]) {
    Whole total, low;
#pragma GCC unroll 4
    for (int r = 0; r < tile_rows; ++r)
        for (int h = 0; h < halves; ++h) {
            __m256i own = _mm256_setzero_si256();
            if constexpr (F::has_min || F::offset != 0)
                for (int g = 0; g < panel_groups; ++g)
                    own = _mm256_add_epi32(own, _mm256_madd_epi16(load_256(panel.lows[g][8 * h]), pair_of_sums(x[r], g)));
            low[r][h] = own;
            total[r][h] = F::has_min ? _mm256_setzero_si256() : _mm256_sub_epi32(_mm256_setzero_si256(), own);
        }
    for (int g = 0; g < panel_groups; ++g) add_group<F>(panel, g, x, total);
    add_real<F>(panel, 0, x, 0, total, low, sums);
}

template <class F>
QUERN_AVX2 void many_avx2(const BlockMatrix& weights, int64_t first, int count, const RoundedRows& x, int64_t row, int64_t rows,
                          float* out) {
    const EightRows left(weights, first, std::min(count, few_columns));
    const EightRows right(weights, count > few_columns ? first + few_columns : first, count > few_columns ? count - few_columns : 1);
    std::fill_n(out, rows * many_columns, 0.0f);
    Panel panel;
    for (int64_t k = 0; k < weights.depth; k += panel_elements) {
        const int groups = static_cast<int>(std::min<int64_t>(panel_elements, weights.depth - k) / 32);
        pack<F>(left, k / F::elements, groups, 0, panel);
        pack<F>(right, k / F::elements, groups, few_columns, panel);
        for (int64_t r = 0; r < rows; r += tile_rows) {
            alignas(64) float spare[many_columns] = {};  // of rows after the last one, which are the last one again
            RowView views[tile_rows];
            float* sums[tile_rows];
            for (int64_t i = 0; i < tile_rows; ++i) {
                views[i] = x.view(row + std::min(r + i, rows - 1), k);
                sums[i] = r + i < rows ? out + (r + i) * many_columns : spare;
            }
            if constexpr (F::elements == 32)
                add_panel_32<F>(panel, groups, views, sums);
            else
                add_panel_256<F>(panel, views, sums);
        }
    }
}

}  // namespace quern::block_kernels
#endif
