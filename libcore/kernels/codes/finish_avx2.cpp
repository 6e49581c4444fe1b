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

struct ByFixed {
    __m256i low, high;
    Scaled scaled;
    QUERN_INLINE_AVX2 ByFixed(const FinishParameters& p, size_t column)
        : low(_mm256_set1_epi32(p.low - p.zero)),
          high(_mm256_set1_epi32(p.high - p.zero)),
          scaled(load(p.factors.data() + column), load(p.shifts.data() + column)) {}
    QUERN_INLINE_AVX2 __m256i steps(__m256i sum) const { return clamped(scaled(sum), low, high); }
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
