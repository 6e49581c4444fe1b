#include "libcore/kernels/codes/finish.h"

#if defined(__x86_64__)
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

template <class By>
QUERN_AVX2 void run_by(const FinishParameters& p, const FinishedTile& tile) {
    const auto column = static_cast<size_t>(tile.column);
    const By first(p, column), second(p, column + 8);
    const __m256i zero = _mm256_set1_epi16(static_cast<int16_t>(p.zero)), low = _mm256_set1_epi8(static_cast<char>(p.low));
    const __m256i bias_a = load(p.bias + column), bias_b = load(p.bias + column + 8);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);  // packs work in halves
    const auto* sums = tile.sums;
    uint8_t* out = tile.out;
    const int columns = tile.columns;
    const int64_t stride = tile.stride;
    for (int left = tile.count; left > 0; left -= 2, sums += 2 * block_columns, out += 2 * stride) {
        const int32_t* other = left > 1 ? sums + block_columns : sums;
        const __m256i a = first.steps(_mm256_add_epi32(load(sums), bias_a)), b = second.steps(_mm256_add_epi32(load(sums + 8), bias_b));
        const __m256i c = first.steps(_mm256_add_epi32(load(other), bias_a)), d = second.steps(_mm256_add_epi32(load(other + 8), bias_b));
        const __m256i one = _mm256_adds_epi16(_mm256_packs_epi32(a, b), zero), two = _mm256_adds_epi16(_mm256_packs_epi32(c, d), zero);
        const __m256i codes = _mm256_permutevar8x32_epi32(_mm256_max_epu8(_mm256_packus_epi16(one, two), low), order);
        store_codes(_mm256_castsi256_si128(codes), out, columns);
        if (left > 1) store_codes(_mm256_extracti128_si256(codes, 1), out + stride, columns);
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

const Finish avx2_finish{"avx2", run, avx2_finish_parts};

}  // namespace quern::codes
#endif
