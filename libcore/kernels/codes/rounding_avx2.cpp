// Ranges and rounding of float32 to codes (rounding.h) for AVX2.
#include "libcore/kernels/codes/rounding.h"

#if defined(__x86_64__)
#include <algorithm>

#include "libcore/kernels/codes/avx2.h"

namespace quern::codes {
namespace {

// The second operand of a minimum is what it gives where the first is NaN, or both are zeros.
QUERN_AVX2 NumberRange range(const float* x, size_t count) {
    __m256 low[4], high[4];
    for (int k = 0; k < 4; ++k) low[k] = high[k] = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + 32 <= count; i += 32)
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; ++k) {
            const __m256 numbers = _mm256_loadu_ps(x + i + 8 * k);
            low[k] = _mm256_min_ps(numbers, low[k]);
            high[k] = _mm256_max_ps(numbers, high[k]);
        }
    alignas(32) float lows[32], highs[32];
    for (size_t k = 0; k < 4; ++k) {
        _mm256_store_ps(lows + 8 * k, low[k]);
        _mm256_store_ps(highs + 8 * k, high[k]);
    }
    const NumberRange rest = portable_rounding.range(x + i, count - i);
    return {std::min(portable_rounding.range(lows, 32).low, rest.low), std::max(portable_rounding.range(highs, 32).high, rest.high)};
}

struct Grid {
    __m256 scale, low, high;
    __m256i zero;
    QUERN_INLINE_AVX2 explicit Grid(const ByteGrid& g)
        : scale(_mm256_set1_ps(g.scale)),
          low(_mm256_set1_ps(static_cast<float>(g.low - g.zero))),
          high(_mm256_set1_ps(static_cast<float>(g.high - g.zero))),
          zero(_mm256_set1_epi32(g.zero)) {}
    QUERN_INLINE_AVX2 __m256i codes(const float* x) const {
        const __m256 steps = _mm256_div_ps(_mm256_loadu_ps(x), scale);
        const __m256 numbers = _mm256_and_ps(steps, _mm256_cmp_ps(steps, steps, _CMP_ORD_Q));  // NaN becomes 0
        return _mm256_add_epi32(_mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(numbers, low), high)), zero);
    }
};

QUERN_AVX2 void codes_of(const ByteGrid& g, const float* x, size_t count, uint8_t* out) {
    const Grid grid(g);
    size_t i = 0;
    for (; i + 16 <= count; i += 16)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), bytes_of(grid.codes(x + i), grid.codes(x + i + 8)));
    portable_rounding.codes(g, x + i, count - i, out + i);
}

}  // namespace

const Rounding avx2_rounding{"avx2", range, codes_of};

}  // namespace quern::codes
#endif
