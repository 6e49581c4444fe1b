#include "libcore/kernels/codes/finish.h"

#if defined(__x86_64__)
#include <cstring>

#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

QUERN_INLINE_AVX2 __m256i load(const int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }

// round(sum * factor), ties to even, between two whole numbers.
struct ByFloats {
    __m256 low, high;
    QUERN_INLINE_AVX2 explicit ByFloats(const FinishParameters& p)
        : low(_mm256_set1_ps(static_cast<float>(p.low - p.zero))), high(_mm256_set1_ps(static_cast<float>(p.high - p.zero))) {}
    QUERN_INLINE_AVX2 __m256i steps(const FinishParameters& p, size_t column, __m256i sum) const {
        const __m256 real = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(p.floats.data() + column));
        return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(real, low), high));
    }
};

// libcore/integer/scaled.h in eight lanes: the high half of the doubled product, rounded, then the rounded shift.
struct ByFixed {
    __m256i low, high;
    QUERN_INLINE_AVX2 explicit ByFixed(const FinishParameters& p)
        : low(_mm256_set1_epi32(p.low - p.zero)), high(_mm256_set1_epi32(p.high - p.zero)) {}
    QUERN_INLINE_AVX2 __m256i steps(const FinishParameters& p, size_t column, __m256i sum) const {
        const __m256i zero = _mm256_setzero_si256(), shift = load(p.shifts.data() + column), factor = load(p.factors.data() + column);
        const __m256i left = _mm256_max_epi32(shift, zero), right = _mm256_max_epi32(_mm256_sub_epi32(zero, shift), zero);
        const __m256i x = _mm256_sllv_epi32(sum, left), half = _mm256_set1_epi64x(int64_t{1} << 30);
        const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, factor), half);
        const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(factor, 32)), half);
        const __m256i product = _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
        const __m256i one = _mm256_set1_epi32(1), mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, right), one);
        const __m256i threshold = _mm256_sub_epi32(_mm256_srli_epi32(mask, 1), _mm256_cmpgt_epi32(zero, product));
        const __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(product, mask), threshold);
        const __m256i rounded = _mm256_sub_epi32(_mm256_srav_epi32(product, right), up);
        return _mm256_min_epi32(_mm256_max_epi32(rounded, low), high);
    }
};

template <class By>
QUERN_AVX2 void run_by(const FinishParameters& p, const FinishedTile& tile) {
    const By by(p);
    const auto column = static_cast<size_t>(tile.column);
    const __m256i zero = _mm256_set1_epi32(p.zero), bias_a = load(p.bias + column), bias_b = load(p.bias + column + 8);
    for (int r = 0; r < tile.count; ++r) {
        const int32_t* sums = tile.sums + r * block_columns;
        const __m256i a = by.steps(p, column, _mm256_add_epi32(load(sums), bias_a));
        const __m256i b = by.steps(p, column + 8, _mm256_add_epi32(load(sums + 8), bias_b));
        const __m128i codes = bytes_of(_mm256_add_epi32(a, zero), _mm256_add_epi32(b, zero));
        uint8_t* out = tile.out + r * tile.stride;
        if (tile.columns == block_columns) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out), codes);
        } else {
            uint8_t bytes[block_columns];
            _mm_storeu_si128(reinterpret_cast<__m128i*>(bytes), codes);
            std::memcpy(out, bytes, static_cast<size_t>(tile.columns));
        }
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
