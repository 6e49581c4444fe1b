#include "libcore/kernels/codes/pairs.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/quantize.h"
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
template <RealPair pair>
int32_t code_of(const Decoded<pair>& by, int32_t x, int32_t y, const PairParameters& p) {
    const float u = static_cast<float>(x - by.a_zero) * by.a_scale, v = static_cast<float>(y - by.b_zero) * by.b_scale;
    const float real = pair == RealPair::sum ? u + v : pair == RealPair::difference ? u - v : u * v;
    return static_cast<int32_t>(quantize_one(real, by.y_scale, by.y_zero, p.low, p.high));
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

template <RealPair pair>
struct Lanes<Decoded<pair>> {
    __m256 a_scale, b_scale, y_scale, low, high;
    __m256i a_zero, b_zero, y_zero;
    QUERN_INLINE_AVX2 Lanes(const Decoded<pair>& by, const PairParameters& p)
        : a_scale(_mm256_set1_ps(by.a_scale)),
          b_scale(_mm256_set1_ps(by.b_scale)),
          y_scale(_mm256_set1_ps(by.y_scale)),
          low(_mm256_set1_ps(static_cast<float>(p.low - by.y_zero))),
          high(_mm256_set1_ps(static_cast<float>(p.high - by.y_zero))),
          a_zero(_mm256_set1_epi32(by.a_zero)),
          b_zero(_mm256_set1_epi32(by.b_zero)),
          y_zero(_mm256_set1_epi32(by.y_zero)) {}
    QUERN_INLINE_AVX2 __m256i codes(__m256i x, __m256i y) const {
        const __m256 u = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(x, a_zero)), a_scale);
        const __m256 v = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(y, b_zero)), b_scale);
        const __m256 real = pair == RealPair::sum          ? _mm256_add_ps(u, v)
                            : pair == RealPair::difference ? _mm256_sub_ps(u, v)
                                                           : _mm256_mul_ps(u, v);
        const __m256 steps = _mm256_div_ps(real, y_scale);
        return _mm256_add_epi32(_mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(steps, low), high)), y_zero);
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

template <bool wide>
QUERN_INLINE_AVX2 __m256i eight(CodesAt<const uint8_t> from, __m256i bias) {
    const __m256i low = eight_codes(from.first, bias);
    if (!wide) return low;
    return _mm256_add_epi32(low, _mm256_slli_epi32(eight_codes(from.first + from.next, _mm256_setzero_si256()), 8));
}

// Sixteen unsigned numbers.
template <bool wide>
QUERN_INLINE_AVX2 void store(__m256i first, __m256i second, CodesAt<uint8_t> to) {
    const __m256i byte = _mm256_set1_epi32(wide ? 255 : -1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to.first), bytes_of(_mm256_and_si256(first, byte), _mm256_and_si256(second, byte)));
    if (wide)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to.first + to.next),
                         bytes_of(_mm256_srli_epi32(first, 8), _mm256_srli_epi32(second, 8)));
}

// Gives how many were computed.
template <bool wide, class By>
QUERN_AVX2 size_t run_lanes(const By& by, const PairParameters& p, CodesAt<const uint8_t> a, CodesAt<const uint8_t> b, CodesAt<uint8_t> y,
                            size_t count) {
    const Lanes<By> lanes(by, p);
    const __m256i bias = _mm256_set1_epi32(p.bias);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m256i first = lanes.codes(eight<wide>(a + i, bias), eight<wide>(b + i, bias));
        const __m256i second = lanes.codes(eight<wide>(a + i + 8, bias), eight<wide>(b + i + 8, bias));
        store<wide>(_mm256_add_epi32(first, bias), _mm256_add_epi32(second, bias), y + i);
    }
    return i;
}

#endif

template <bool wide>
int32_t load_code(CodesAt<const uint8_t> from, int32_t bias) {
    return (wide ? from.first[0] | from.first[from.next] << 8 : from.first[0]) - bias;
}

template <bool wide, class By>
void run(const By& by, const PairParameters& p, CodesAt<const uint8_t> a, CodesAt<const uint8_t> b, CodesAt<uint8_t> y, size_t count) {
    size_t i = 0;
#if defined(__x86_64__)
    if (isa() >= Isa::avx2) i = run_lanes<wide>(by, p, a, b, y, count);
#endif
    for (; i < count; ++i) {
        const int32_t code = code_of(by, load_code<wide>(a + i, p.bias), load_code<wide>(b + i, p.bias), p) + p.bias;
        y.first[i] = static_cast<uint8_t>(code);
        if (wide) y.first[y.next + i] = static_cast<uint8_t>(code >> 8);
    }
}

float scale_of(const Encoding& e) { return to_floats(e.scale)[0]; }
float zero_of(const Encoding& e) { return static_cast<float>(e.zero_at()); }

bool fits(const RealSum& by) { return std::isfinite(by.a) && std::isfinite(by.b) && std::isfinite(by.fixed); }
bool fits(const RealProduct& by) { return std::isfinite(by.ratio); }
// The numbers and their sums and products are finite, then.
bool fits(const DecodedScales& by) {
    const float a = 65536 * std::abs(by.a_scale), b = 65536 * std::abs(by.b_scale);
    return std::isfinite(a + b) && std::isfinite(a * b) && std::isfinite(by.y_scale) && by.y_scale > 0;
}
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

DecodedScales::DecodedScales(const Encoding& x, const Encoding& y, const Encoding& out)
    : a_scale(scale_of(x)),
      b_scale(scale_of(y)),
      y_scale(scale_of(out)),
      a_zero(static_cast<int32_t>(x.zero_at())),
      b_zero(static_cast<int32_t>(y.zero_at())),
      y_zero(static_cast<int32_t>(out.zero_at())) {}

PairParameters::PairParameters(decltype(by) how, const Encoding& out)
    : by(how),
      wide(bits_of(out.storage) > 8),
      bias(bias_of(out.storage)),
      low(static_cast<int32_t>(out.qmin)),
      high(static_cast<int32_t>(out.qmax)) {}

bool PairParameters::is_finite() const {
    return std::visit([](const auto& one) { return fits(one); }, by);
}

void compute_pairs(const PairParameters& parameters, CodesAt<const uint8_t> a, CodesAt<const uint8_t> b, CodesAt<uint8_t> y, size_t count) {
    std::visit(
        [&](const auto& by) { parameters.wide ? run<true>(by, parameters, a, b, y, count) : run<false>(by, parameters, a, b, y, count); },
        parameters.by);
}

}  // namespace quern::codes
