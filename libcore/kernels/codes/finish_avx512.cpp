// Sums to codes of 8 bits (finish.h) by factors in float32, sixteen columns a register; the other ways are those of eight.
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/finish.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define QUERN_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

namespace quern::codes {
namespace {

// round(sum * factor), ties to even, at most `high`; the conversion gives the least number below int32.
QUERN_AVX512 void run_sixteen(const FinishParameters& p, const FinishedTile& tile) {
    constexpr __mmask16 every = 0xffff;
    const auto column = static_cast<size_t>(tile.column);
    const __m512 factor = _mm512_loadu_ps(p.floats.data() + column), high = _mm512_set1_ps(static_cast<float>(p.high - p.zero));
    const __m512i bias = _mm512_loadu_si512(p.bias + column), zero = _mm512_set1_epi32(p.zero), low = _mm512_set1_epi32(p.low);
    const int32_t* sums = tile.sums;
    uint8_t* out = tile.out;
    for (int r = 0; r < tile.count; ++r, sums += block_columns, out += tile.stride) {
        const __m512 x = _mm512_maskz_cvtepi32_ps(every, _mm512_add_epi32(_mm512_loadu_si512(sums), bias));
        const __m512i steps = _mm512_maskz_cvtps_epi32(every, _mm512_maskz_min_ps(every, _mm512_mul_ps(x, factor), high));
        const __m512i codes = _mm512_maskz_max_epi32(every, _mm512_add_epi32(steps, zero), low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_maskz_cvtepi32_epi8(every, codes));
    }
}

void run(const FinishParameters& p, const FinishedTile& tile) {
    p.by == SumCodes::By::floats&& tile.columns == block_columns ? run_sixteen(p, tile) : vectors_finish.run(p, tile);
}
void run_parts(const FinishParameters& p, const FinishedTile& tile) { vectors_finish.run_parts(p, tile); }

}  // namespace

const Finish avx512_finish{"avx512", run, run_parts};

}  // namespace quern::codes
#endif
