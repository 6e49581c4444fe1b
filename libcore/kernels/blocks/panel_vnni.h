// Many rounded rows by sixteen rows of weights with AVX-512 and VNNI: panel_avx2.h's panels of codes from 0 on, four of each row in one
// step.
#pragma once

#include "libcore/kernels/blocks/few_vnni.h"
#include "libcore/kernels/blocks/panel_avx2.h"

#if defined(__x86_64__)
namespace quern::block_kernels {

constexpr int wide_rows = 8;
using WideViews = RowView[wide_rows];

// Adds the products of codes `first` to `first + run` of a group, by fours.
template <int run>
QUERN_INLINE_VNNI void add_wide_run(const Panel& panel, int g, int first, const WideViews& x, __m512i (&sums)[wide_rows]) {
#pragma GCC unroll 8
    for (int i = first; i < first + run; ++i) {
        const __m512i codes = _mm512_load_si512(panel.codes[8 * g + i]);
#pragma GCC unroll 8
        for (int r = 0; r < wide_rows; ++r) sums[r] = _mm512_dpbusd_epi32(sums[r], codes, four_codes(x[r].codes + 32 * g + 4 * i));
    }
}

template <class F>
QUERN_INLINE_VNNI void add_wide_32(const Panel& panel, int groups, const WideViews& x, __m512 (&sums)[wide_rows]) {
    for (int g = 0; g < groups; ++g) {
        __m512i whole[wide_rows];
#pragma GCC unroll 8
        for (int r = 0; r < wide_rows; ++r) whole[r] = _mm512_set1_epi32(-F::offset * x[r].sums_32[g]);
        add_wide_run<8>(panel, g, 0, x, whole);
        const __m512 scales = _mm512_load_ps(panel.scales[g]), mins = _mm512_load_ps(panel.mins[g]);
#pragma GCC unroll 8
        for (int r = 0; r < wide_rows; ++r) {
            sums[r] = added_512(sums[r], scales, x[r].scales[g], whole[r]);
            if constexpr (F::has_min) sums[r] = _mm512_add_ps(sums[r], _mm512_mul_ps(mins, _mm512_set1_ps(x[r].sums[g])));
        }
    }
}

// What the sums of x are multiplied by, and their sum: minima, or offsets of the codes.
QUERN_INLINE_VNNI __m512i lows_of(const Panel& panel, const RowView& x) {
    __m512i sum = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int g = 0; g < panel_groups; ++g)
        sum = _mm512_dpwssd_epi32(sum, _mm512_load_si512(panel.lows[g]),
                                  _mm512_set1_epi32(blocks::load<int32_t>(reinterpret_cast<Block>(x.sums_16 + 2 * g))));
    return sum;
}

template <class F>
QUERN_INLINE_VNNI void add_wide_256(const Panel& panel, const WideViews& x, __m512 (&sums)[wide_rows]) {
    __m512i total[wide_rows];
#pragma GCC unroll 8
    for (int r = 0; r < wide_rows; ++r) total[r] = _mm512_setzero_si512();
    for (int part = 0; part < 256 / F::part; ++part) {
        __m512i own[wide_rows];
#pragma GCC unroll 8
        for (int r = 0; r < wide_rows; ++r) own[r] = _mm512_setzero_si512();
        add_wide_run<F::part / 4>(panel, 0, part * (F::part / 4), x, own);
        const __m512i factors = _mm512_srai_epi32(_mm512_load_si512(panel.factors[part]), 16);
#pragma GCC unroll 8
        for (int r = 0; r < wide_rows; ++r) total[r] = _mm512_add_epi32(total[r], _mm512_mullo_epi32(own[r], factors));
    }
    const __m512 scales = _mm512_load_ps(panel.scales[0]), mins = _mm512_load_ps(panel.mins[0]);
#pragma GCC unroll 8
    for (int r = 0; r < wide_rows; ++r) {
        if constexpr (F::offset != 0) total[r] = _mm512_sub_epi32(total[r], lows_of(panel, x[r]));
        sums[r] = added_512(sums[r], scales, x[r].scales[0], total[r]);
        if constexpr (F::has_min) {
            const __m512 low = _mm512_mul_ps(_mm512_mul_ps(mins, _mm512_set1_ps(x[r].scales[0])), _mm512_cvtepi32_ps(lows_of(panel, x[r])));
            sums[r] = _mm512_sub_ps(sums[r], low);
        }
    }
}

// Adds a panel to the sums of rows [r, r + wide_rows), as many as there are, which lie at `to`.
template <class F>
QUERN_INLINE_VNNI void add_wide_panel(const Panel& panel, int groups, const WideViews& views, int64_t there, float* to) {
    __m512 sums[wide_rows];
#pragma GCC unroll 8
    for (int i = 0; i < wide_rows; ++i) sums[i] = i < there ? _mm512_loadu_ps(to + i * many_columns) : _mm512_setzero_ps();
    if constexpr (F::elements == 32)
        add_wide_32<F>(panel, groups, views, sums);
    else
        add_wide_256<F>(panel, views, sums);
#pragma GCC unroll 8
    for (int i = 0; i < wide_rows; ++i)
        if (i < there) _mm512_storeu_ps(to + i * many_columns, sums[i]);
}

template <class Format>
QUERN_VNNI void many_vnni(const BlockMatrix& weights, int64_t first, int count, const RoundedRows& x, int64_t row, int64_t rows,
                          float* out) {
    using F = FromZero<Format>;
    const EightRows left(weights, first, std::min(count, few_columns));
    const EightRows right(weights, count > few_columns ? first + few_columns : first, count > few_columns ? count - few_columns : 1);
    std::fill_n(out, rows * many_columns, 0.0f);
    Panel panel;
    for (int64_t k = 0; k < weights.depth; k += panel_elements) {
        const int groups = static_cast<int>(std::min<int64_t>(panel_elements, weights.depth - k) / 32);
        pack<F>(left, k / F::elements, groups, 0, panel);
        pack<F>(right, k / F::elements, groups, few_columns, panel);
        for (int64_t r = 0; r < rows; r += wide_rows) {
            WideViews views;  // rows after the last one are the last one again
            for (int64_t i = 0; i < wide_rows; ++i) views[i] = x.view(row + std::min(r + i, rows - 1), k);
            add_wide_panel<F>(panel, groups, views, std::min<int64_t>(wide_rows, rows - r), out + r * many_columns);
        }
    }
}

}  // namespace quern::block_kernels
#endif
