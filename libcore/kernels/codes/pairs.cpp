#include "libcore/kernels/codes/pairs.h"

#include <algorithm>
#include <cmath>

#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/isa.h"

namespace quern::codes {
namespace {

uint8_t code_of(const PairParameters& p, uint8_t a, uint8_t b) {
    const auto x = static_cast<float>(a - p.bias), y = static_cast<float>(b - p.bias);
    const float steps = p.product ? (x - p.a) * (y - p.b) * p.ratio + p.fixed : std::fma(y, p.b, std::fma(x, p.a, p.fixed));
    return static_cast<uint8_t>(static_cast<int32_t>(std::clamp(std::nearbyint(steps), p.low, p.high)) + p.bias);
}

#if defined(__x86_64__)

struct Sum {
    __m256 a, b, fixed;
    QUERN_INLINE_AVX2 explicit Sum(const PairParameters& p) : a(_mm256_set1_ps(p.a)), b(_mm256_set1_ps(p.b)), fixed(_mm256_set1_ps(p.fixed)) {}
    QUERN_INLINE_AVX2 __m256 steps(__m256 x, __m256 y) const { return _mm256_fmadd_ps(y, b, _mm256_fmadd_ps(x, a, fixed)); }
};

struct Product {
    __m256 a, b, ratio, fixed;
    QUERN_INLINE_AVX2 explicit Product(const PairParameters& p)
        : a(_mm256_set1_ps(p.a)), b(_mm256_set1_ps(p.b)), ratio(_mm256_set1_ps(p.ratio)), fixed(_mm256_set1_ps(p.fixed)) {}
    QUERN_INLINE_AVX2 __m256 steps(__m256 x, __m256 y) const {
        return _mm256_add_ps(_mm256_mul_ps(_mm256_mul_ps(_mm256_sub_ps(x, a), _mm256_sub_ps(y, b)), ratio), fixed);
    }
};

QUERN_INLINE_AVX2 __m256 reals(const uint8_t* from, __m256i bias) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    return _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_cvtepu8_epi32(bytes), bias));
}

// Gives how many were computed.
template <class Kind>
QUERN_AVX2 size_t run(const PairParameters& p, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t count) {
    const Kind kind(p);
    const __m256 low = _mm256_set1_ps(p.low), high = _mm256_set1_ps(p.high);
    const __m256i bias = _mm256_set1_epi32(p.bias);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m256i codes[2];
#pragma GCC unroll 2
        for (size_t k = 0; k < 2; ++k) {
            const __m256 steps = kind.steps(reals(a + i + 8 * k, bias), reals(b + i + 8 * k, bias));
            codes[k] = _mm256_add_epi32(_mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(steps, low), high)), bias);
        }
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), bytes_of(codes[0], codes[1]));
    }
    return i;
}

#endif

}  // namespace

PairParameters::PairParameters(bool is_product, const Encoding& x, const Encoding& y, const Encoding& out)
    : product(is_product),
      bias(bias_of(out.storage)),
      low(static_cast<float>(out.qmin)),
      high(static_cast<float>(out.qmax)) {
    const float sx = to_floats(x.scale)[0], sy = to_floats(y.scale)[0], so = to_floats(out.scale)[0];
    const auto zx = static_cast<float>(x.zero_at()), zy = static_cast<float>(y.zero_at()), zo = static_cast<float>(out.zero_at());
    if (product) {
        a = zx, b = zy, ratio = sx * sy / so, fixed = zo;
    } else {
        a = sx / so, b = sy / so;
        fixed = zo - (a * zx + b * zy);
    }
}

void compute_pairs(const PairParameters& parameters, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t count) {
    size_t i = 0;
#if defined(__x86_64__)
    if (isa() >= Isa::avx2) i = parameters.product ? run<Product>(parameters, a, b, y, count) : run<Sum>(parameters, a, b, y, count);
#endif
    for (; i < count; ++i) y[i] = code_of(parameters, a[i], b[i]);
}

}  // namespace quern::codes
