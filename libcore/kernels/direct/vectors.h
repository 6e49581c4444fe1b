// Registers of 16 floats, as the inner loops of this library use them.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

#define QUERN_AVX512 __attribute__((target("avx512f")))

namespace quern::direct {

// Of channels of which `left` are there, those of one register.
QUERN_AVX512 inline __attribute__((always_inline)) __mmask16 mask_of(int left) {
    return static_cast<__mmask16>(left >= 16 ? 0xffff : (1 << left) - 1);
}

// How a sum of products ends: bias, what `out` has if `end` says so, clamp. `End` has sum, low and high. NaN passes the clamp.
template <typename End>
QUERN_AVX512 inline __attribute__((always_inline)) void finish(const End& end, __m512 x, __m512 bias, __mmask16 mask, float* out) {
    x = _mm512_add_ps(x, bias);
    if (end.sum) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(mask, out));
    const __m512 low = _mm512_set1_ps(end.low), high = _mm512_set1_ps(end.high);
    x = _mm512_maskz_min_ps(mask, high, _mm512_maskz_max_ps(mask, low, x));  // of a NaN the second operand is taken
    _mm512_mask_storeu_ps(out, mask, x);
}

}  // namespace quern::direct
#endif
