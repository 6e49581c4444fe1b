#include "libcore/kernels/codes/pairs.h"

#include <algorithm>
#include <cmath>

#include "libcore/integer/multiply_codes.h"
#include "libcore/integer/sum_codes.h"
#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/isa.h"

namespace quern::codes {
namespace {

// ---- one by one --------------------------------------------------------------------------------------------------------------

int32_t rounded(float steps, const PairParameters& p) {
    return static_cast<int32_t>(std::clamp(std::nearbyint(steps), static_cast<float>(p.low), static_cast<float>(p.high)));
}
int32_t code_of(const RealSum& by, int32_t x, int32_t y, const PairParameters& p) {
    return rounded(std::fma(static_cast<float>(y), by.b, std::fma(static_cast<float>(x), by.a, by.fixed)), p);
}
int32_t code_of(const RealProduct& by, int32_t x, int32_t y, const PairParameters& p) {
    return rounded((static_cast<float>(x) - by.a) * (static_cast<float>(y) - by.b) * by.ratio + by.fixed, p);
}
int32_t code_of(const sum_t& by, int32_t x, int32_t y, const PairParameters&) { return sum_codes(x, y, &by); }
int32_t code_of(const multiply_t& by, int32_t x, int32_t y, const PairParameters&) { return multiply_codes(x, y, &by); }

#if defined(__x86_64__)

// ---- eight at a time -----------------------------------------------------------------------------------------------------------

template <class By>
struct Lanes;

struct RealLanes {
    __m256 low, high;
    QUERN_INLINE_AVX2 explicit RealLanes(const PairParameters& p)
        : low(_mm256_set1_ps(static_cast<float>(p.low))), high(_mm256_set1_ps(static_cast<float>(p.high))) {}
    QUERN_INLINE_AVX2 __m256i rounded(__m256 steps) const { return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(steps, low), high)); }
};

template <>
struct Lanes<RealSum> : RealLanes {
    __m256 a, b, fixed;
    QUERN_INLINE_AVX2 Lanes(const RealSum& by, const PairParameters& p)
        : RealLanes(p), a(_mm256_set1_ps(by.a)), b(_mm256_set1_ps(by.b)), fixed(_mm256_set1_ps(by.fixed)) {}
    QUERN_INLINE_AVX2 __m256i codes(__m256i x, __m256i y) const {
        return rounded(_mm256_fmadd_ps(_mm256_cvtepi32_ps(y), b, _mm256_fmadd_ps(_mm256_cvtepi32_ps(x), a, fixed)));
    }
};

template <>
struct Lanes<RealProduct> : RealLanes {
    __m256 a, b, ratio, fixed;
    QUERN_INLINE_AVX2 Lanes(const RealProduct& by, const PairParameters& p)
        : RealLanes(p),
          a(_mm256_set1_ps(by.a)),
          b(_mm256_set1_ps(by.b)),
          ratio(_mm256_set1_ps(by.ratio)),
          fixed(_mm256_set1_ps(by.fixed)) {}
    QUERN_INLINE_AVX2 __m256i codes(__m256i x, __m256i y) const {
        const __m256 product = _mm256_mul_ps(_mm256_sub_ps(_mm256_cvtepi32_ps(x), a), _mm256_sub_ps(_mm256_cvtepi32_ps(y), b));
        return rounded(_mm256_add_ps(_mm256_mul_ps(product, ratio), fixed));
    }
};

// The result's zero point is added behind the clamp, which cannot overflow then.
struct FixedLanes {
    __m256i low, high, zero;
    template <class By>
    QUERN_INLINE_AVX2 explicit FixedLanes(const By& by)
        : low(_mm256_set1_epi32(by.low - by.zero)), high(_mm256_set1_epi32(by.high - by.zero)), zero(_mm256_set1_epi32(by.zero)) {}
    QUERN_INLINE_AVX2 __m256i codes_of(__m256i steps) const { return _mm256_add_epi32(clamped(steps, low, high), zero); }
};

template <>
struct Lanes<sum_t> : FixedLanes {
    __m256i a_zero, b_zero;
    __m128i bits;
    Scaled a, b, y;
    bool is_difference;
    QUERN_INLINE_AVX2 Lanes(const sum_t& by, const PairParameters&)
        : FixedLanes(by),
          a_zero(_mm256_set1_epi32(by.a_zero)),
          b_zero(_mm256_set1_epi32(by.b_zero)),
          bits(_mm_cvtsi32_si128(by.bits)),
          a(by.a_factor, by.a_shift),
          b(by.b_factor, by.b_shift),
          y(by.factor, by.shift),
          is_difference(by.sign <= 0) {}
    QUERN_INLINE_AVX2 __m256i codes(__m256i u, __m256i v) const {
        const __m256i p = a(_mm256_sll_epi32(_mm256_sub_epi32(u, a_zero), bits)),
                      q = b(_mm256_sll_epi32(_mm256_sub_epi32(v, b_zero), bits));
        return codes_of(y(is_difference ? _mm256_sub_epi32(p, q) : _mm256_add_epi32(p, q)));
    }
};

template <>
struct Lanes<multiply_t> : FixedLanes {
    __m256i a_zero, b_zero;
    Scaled y;
    QUERN_INLINE_AVX2 Lanes(const multiply_t& by, const PairParameters&)
        : FixedLanes(by), a_zero(_mm256_set1_epi32(by.a_zero)), b_zero(_mm256_set1_epi32(by.b_zero)), y(by.factor, by.shift) {}
    QUERN_INLINE_AVX2 __m256i codes(__m256i u, __m256i v) const {
        return codes_of(y(_mm256_mullo_epi32(_mm256_sub_epi32(u, a_zero), _mm256_sub_epi32(v, b_zero))));
    }
};

// Gives how many were computed.
template <class By>
QUERN_AVX2 size_t run_lanes(const By& by, const PairParameters& p, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t count) {
    const Lanes<By> lanes(by, p);
    const __m256i bias = _mm256_set1_epi32(p.bias);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m256i first = lanes.codes(eight_codes(a + i, bias), eight_codes(b + i, bias));
        const __m256i second = lanes.codes(eight_codes(a + i + 8, bias), eight_codes(b + i + 8, bias));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), bytes_of(_mm256_add_epi32(first, bias), _mm256_add_epi32(second, bias)));
    }
    return i;
}

#endif

template <class By>
void run(const By& by, const PairParameters& p, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t count) {
    size_t i = 0;
#if defined(__x86_64__)
    if (isa() >= Isa::avx2) i = run_lanes(by, p, a, b, y, count);
#endif
    for (; i < count; ++i) y[i] = static_cast<uint8_t>(code_of(by, a[i] - p.bias, b[i] - p.bias, p) + p.bias);
}

float scale_of(const Encoding& e) { return to_floats(e.scale)[0]; }
float zero_of(const Encoding& e) { return static_cast<float>(e.zero_at()); }

bool fits(const RealSum& by) { return std::isfinite(by.a) && std::isfinite(by.b) && std::isfinite(by.fixed); }
bool fits(const RealProduct& by) { return std::isfinite(by.ratio); }
bool fits_shift(int32_t factor, int32_t shift) { return factor >= 0 && shift >= -31 && shift <= 31; }
bool fits(const sum_t& by) {
    return fits_shift(by.a_factor, by.a_shift) && fits_shift(by.b_factor, by.b_shift) && fits_shift(by.factor, by.shift);
}
bool fits(const multiply_t& by) { return fits_shift(by.factor, by.shift); }

}  // namespace

RealSum::RealSum(const Encoding& x, const Encoding& y, const Encoding& out)
    : a(scale_of(x) / scale_of(out)), b(scale_of(y) / scale_of(out)) {
    fixed = zero_of(out) - (a * zero_of(x) + b * zero_of(y));
}

RealProduct::RealProduct(const Encoding& x, const Encoding& y, const Encoding& out)
    : a(zero_of(x)), b(zero_of(y)), ratio(scale_of(x) * scale_of(y) / scale_of(out)), fixed(zero_of(out)) {}

PairParameters::PairParameters(decltype(by) how, const Encoding& out)
    : by(how), bias(bias_of(out.storage)), low(static_cast<int32_t>(out.qmin)), high(static_cast<int32_t>(out.qmax)) {}

bool PairParameters::is_finite() const {
    return std::visit([](const auto& one) { return fits(one); }, by);
}

void compute_pairs(const PairParameters& parameters, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t count) {
    std::visit([&](const auto& by) { run(by, parameters, a, b, y, count); }, parameters.by);
}

}  // namespace quern::codes
