// Sums of products to codes of 8 bits (finish.h) for AVX2.
#include "libcore/kernels/codes/finish.h"

#if defined(__x86_64__)
#include <algorithm>

#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

// Steps from the zero point, of eight columns: exact from `low` on to `high`, at most `high`, and below `low` where they are.

// round(sum * factor), ties to even. Below int32 the conversion gives its least number.
struct ByFloats {
    __m256 high, factor;
    QUERN_INLINE_AVX2 ByFloats(const FinishParameters& p, size_t column)
        : high(_mm256_set1_ps(static_cast<float>(p.high - p.zero))), factor(_mm256_loadu_ps(p.floats.data() + column)) {}
    QUERN_INLINE_AVX2 __m256i steps(__m256i sum) const {
        return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), factor), high));
    }
};

struct ByFixed {
    __m256i high;
    Scaled scaled;
    QUERN_INLINE_AVX2 ByFixed(const FinishParameters& p, size_t column)
        : high(_mm256_set1_epi32(p.high - p.zero)), scaled(load(p.factors.data() + column), load(p.shifts.data() + column)) {}
    QUERN_INLINE_AVX2 __m256i steps(__m256i sum) const { return _mm256_min_epi32(scaled(sum), high); }
};

// 32 codes of sums: four times eight, one after the other.
struct Codes {
    __m256i zero, low, order;
    QUERN_INLINE_AVX2 explicit Codes(const FinishParameters& p)
        : zero(_mm256_set1_epi16(static_cast<int16_t>(p.zero))),
          low(_mm256_set1_epi8(static_cast<char>(p.low))),
          order(_mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)) {}  // packs work in halves
    QUERN_INLINE_AVX2 __m256i of(__m256i a, __m256i b, __m256i c, __m256i d) const {
        const __m256i one = _mm256_adds_epi16(_mm256_packs_epi32(a, b), zero), two = _mm256_adds_epi16(_mm256_packs_epi32(c, d), zero);
        return _mm256_permutevar8x32_epi32(_mm256_max_epu8(_mm256_packus_epi16(one, two), low), order);
    }
};

template <class By>
QUERN_AVX2 void run_by(const FinishParameters& p, const FinishedTile& tile) {
    const auto column = static_cast<size_t>(tile.column);
    const By first(p, column), second(p, column + 8);
    const Codes codes(p);
    const __m256i bias_a = load(p.bias + column), bias_b = load(p.bias + column + 8);
    const auto* sums = tile.sums;
    uint8_t* out = tile.out;
    const int columns = tile.columns;
    const int64_t stride = tile.stride;
    for (int left = tile.count; left > 0; left -= 2, sums += 2 * block_columns, out += 2 * stride) {
        const int32_t* other = left > 1 ? sums + block_columns : sums;
        const __m256i a = first.steps(_mm256_add_epi32(load(sums), bias_a)), b = second.steps(_mm256_add_epi32(load(sums + 8), bias_b));
        const __m256i c = first.steps(_mm256_add_epi32(load(other), bias_a)), d = second.steps(_mm256_add_epi32(load(other + 8), bias_b));
        const __m256i both = codes.of(a, b, c, d);
        store_codes(_mm256_castsi256_si128(both), out, columns);
        if (left > 1) store_codes(_mm256_extracti128_si256(both, 1), out + stride, columns);
    }
}

// Of at most eight columns: four rows at a time.
template <class By>
QUERN_AVX2 void run_half_by(const FinishParameters& p, const FinishedTile& tile) {
    const By by(p, static_cast<size_t>(tile.column));
    const Codes codes(p);
    const __m256i bias = load(p.bias + tile.column);
    for (int row = 0; row < tile.count; row += 4) {
        __m256i steps[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i)
            steps[i] = by.steps(_mm256_add_epi32(load(tile.sums + std::min(row + i, tile.count - 1) * block_columns), bias));
        alignas(32) uint8_t rows[4][8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(rows), codes.of(steps[0], steps[1], steps[2], steps[3]));
        for (int i = 0; i < std::min(4, tile.count - row); ++i) {
            uint8_t* const out = tile.out + (row + i) * tile.stride;
            tile.columns == 8 ? std::memcpy(out, rows[i], 8) : std::memcpy(out, rows[i], static_cast<size_t>(tile.columns));
        }
    }
}

template <class By>
void run_columns_by(const FinishParameters& p, const FinishedTile& tile) {
    tile.columns > 8 ? run_by<By>(p, tile) : run_half_by<By>(p, tile);
}

void run(const FinishParameters& p, const FinishedTile& tile) {
    switch (p.by) {
        case SumCodes::By::floats: return run_columns_by<ByFloats>(p, tile);
        case SumCodes::By::fixed: return run_columns_by<ByFixed>(p, tile);
        case SumCodes::By::doubles: return portable_finish.run(p, tile);
    }
}

}  // namespace

const Finish avx2_finish{"avx2", run, avx2_finish_parts};

}  // namespace quern::codes
#endif
