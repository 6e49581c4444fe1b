#include "libcore/kernels/codes/finish.h"

#if defined(__x86_64__)
#include <cstring>

#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

QUERN_INLINE_AVX2 __m256i load(const int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

// round(sum * factor), ties to even, between two whole numbers. Of eight columns.
struct ByFloats {
    __m256 low, high, factor;
    QUERN_INLINE_AVX2 ByFloats(const FinishParameters& p, size_t column)
        : low(_mm256_set1_ps(static_cast<float>(p.low - p.zero))),
          high(_mm256_set1_ps(static_cast<float>(p.high - p.zero))),
          factor(_mm256_loadu_ps(p.floats.data() + column)) {}
    QUERN_INLINE_AVX2 __m256i steps(__m256i sum) const {
        const __m256 real = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), factor);
        return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(real, low), high));
    }
};

// libcore/integer/scaled.h in eight lanes: the high half of the doubled product, rounded, then the rounded shift.
struct ByFixed {
    __m256i low, high, left, right, factor, odd_factor, mask, threshold;
    QUERN_INLINE_AVX2 ByFixed(const FinishParameters& p, size_t column)
        : low(_mm256_set1_epi32(p.low - p.zero)), high(_mm256_set1_epi32(p.high - p.zero)), factor(load(p.factors.data() + column)) {
        const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1), shift = load(p.shifts.data() + column);
        left = _mm256_max_epi32(shift, zero);
        right = _mm256_max_epi32(_mm256_sub_epi32(zero, shift), zero);
        odd_factor = _mm256_srli_epi64(factor, 32);
        mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, right), one);
        threshold = _mm256_srli_epi32(mask, 1);
    }
    QUERN_INLINE_AVX2 __m256i steps(__m256i sum) const {
        const __m256i x = _mm256_sllv_epi32(sum, left), half = _mm256_set1_epi64x(int64_t{1} << 30);
        const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, factor), half);
        const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), odd_factor), half);
        const __m256i product = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
        const __m256i least = _mm256_sub_epi32(threshold, _mm256_srai_epi32(product, 31));  // one more below 0
        const __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(product, mask), least);
        const __m256i rounded = _mm256_sub_epi32(_mm256_srav_epi32(product, right), up);
        return _mm256_min_epi32(_mm256_max_epi32(rounded, low), high);
    }
};

QUERN_INLINE_AVX2 void store(__m128i codes, uint8_t* out, int columns) {
    if (columns == block_columns) return _mm_storeu_si128(reinterpret_cast<__m128i*>(out), codes);
    uint8_t bytes[block_columns];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), codes);
    std::memcpy(out, bytes, static_cast<size_t>(columns));
}

template <class By>
QUERN_AVX2 void run_by(const FinishParameters& p, const FinishedTile& tile) {
    const auto column = static_cast<size_t>(tile.column);
    const By first(p, column), second(p, column + 8);
    const __m256i zero = _mm256_set1_epi32(p.zero), bias_a = load(p.bias + column), bias_b = load(p.bias + column + 8);
    const int32_t* sums = tile.sums;
    uint8_t* out = tile.out;
    const int count = tile.count, columns = tile.columns;
    const int64_t stride = tile.stride;
    for (int r = 0; r < count; ++r, sums += block_columns, out += stride) {
        const __m256i a = first.steps(_mm256_add_epi32(load(sums), bias_a)), b = second.steps(_mm256_add_epi32(load(sums + 8), bias_b));
        store(bytes_of(_mm256_add_epi32(a, zero), _mm256_add_epi32(b, zero)), out, columns);
    }
}

void run(const FinishParameters& p, const FinishedTile& tile) {
    switch (p.by) {
        case SumCodes::By::floats: return run_by<ByFloats>(p, tile);
        case SumCodes::By::fixed: return run_by<ByFixed>(p, tile);
        case SumCodes::By::doubles: return portable_finish.run(p, tile);
    }
}

}  // namespace

const Finish avx2_finish{"avx2", run};

}  // namespace quern::codes
#endif
