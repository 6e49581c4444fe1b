// Softmax along the last axis: float32 numbers, exponentials that are the same on every machine (ops/portable/float_exp.h), and their sum
// in the order of the line.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/real_lines.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/isa.h"
#include "libcore/ops/shared/norm.h"

namespace quern::codes {
namespace {

#if defined(__x86_64__)

// ops/portable/wide_exp.h of four numbers from -104 to 0.
QUERN_INLINE_AVX2 __m128 exp_of(__m128 numbers) {
    const __m256d x = _mm256_cvtps_pd(numbers);
    const __m128i n = _mm256_cvttpd_epi32(x * 1.4426950408889634 - 0.5);
    const __m256d whole = _mm256_cvtepi32_pd(n);
    const __m256d r = (x - whole * 0.6931471803691238) - whole * 1.9082149292705877e-10, r2 = r * r, r4 = r2 * r2;
    const __m256d low = (1.0 + r) + (1.0 / 2.0 + r * (1.0 / 6.0)) * r2;
    const __m256d high = (1.0 / 24.0 + r * (1.0 / 120.0)) + (1.0 / 720.0 + r * (1.0 / 5040.0)) * r2;
    const __m256d series = (low + high * r4) + (1.0 / 40320.0 + r * (1.0 / 362880.0)) * (r4 * r4);
    const __m256i power = _mm256_slli_epi64(_mm256_add_epi64(_mm256_cvtepi32_epi64(n), _mm256_set1_epi64x(1023)), 52);
    return _mm256_cvtpd_ps(series * _mm256_castsi256_pd(power));
}

// Eight numbers of which none is greater than 0; as float_exp, 0 below -104.
QUERN_INLINE_AVX2 __m256 exp_of(__m256 x) {
    const __m256 min = _mm256_set1_ps(-104.0f), bounded = _mm256_max_ps(x, min);
    const __m256 y = _mm256_set_m128(exp_of(_mm256_extractf128_ps(bounded, 1)), exp_of(_mm256_castps256_ps128(bounded)));
    return _mm256_andnot_ps(_mm256_cmp_ps(x, min, _CMP_LT_OQ), y);
}

// The greatest number; NaN where a number is NaN, or no number is finite.
QUERN_AVX2 float max_of(const float* x, int64_t length) {
    __m256 max = _mm256_set1_ps(-INFINITY), bad = _mm256_setzero_ps();
    int64_t i = 0;
    for (; i + 8 <= length; i += 8) {
        const __m256 item = _mm256_loadu_ps(x + i);
        bad = _mm256_or_ps(bad, _mm256_cmp_ps(item, item, _CMP_UNORD_Q));
        max = _mm256_max_ps(max, item);
    }
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, max);
    float all = *std::max_element(lanes, lanes + 8);
    bool is_bad = _mm256_movemask_ps(bad) != 0;
    for (; i < length; ++i) {
        is_bad = is_bad || x[i] != x[i];
        all = std::max(all, x[i]);
    }
    return is_bad || !std::isfinite(all) ? NAN : all;
}

// To exponentials of the numbers less the greatest one.
QUERN_AVX2 void raise(float* x, int64_t length, float max) {
    const __m256 all = _mm256_set1_ps(max);
    int64_t i = 0;
    for (; i + 8 <= length; i += 8) _mm256_storeu_ps(x + i, exp_of(_mm256_sub_ps(_mm256_loadu_ps(x + i), all)));
    if (i == length) return;
    alignas(32) float rest[8] = {};
    std::copy(x + i, x + length, rest);
    _mm256_store_ps(rest, exp_of(_mm256_sub_ps(_mm256_load_ps(rest), all)));
    std::copy(rest, rest + (length - i), x + i);
}

QUERN_AVX2 void divide(float* x, int64_t length, float sum) {
    const __m256 all = _mm256_set1_ps(sum);
    int64_t i = 0;
    for (; i + 8 <= length; i += 8) _mm256_storeu_ps(x + i, _mm256_div_ps(_mm256_loadu_ps(x + i), all));
    for (; i < length; ++i) x[i] /= sum;
}

constexpr int64_t together = 8;  // lines whose sums are independent

void soften_together(float* lines, int64_t length) {
    std::array<float, together> sums{};
    std::array<bool, together> is_usual;
    for (int64_t r = 0; r < together; ++r) {
        const float max = max_of(lines + r * length, length);
        is_usual[static_cast<size_t>(r)] = max == max;
        if (max == max)
            raise(lines + r * length, length, max);
        else
            softmax_line(lines + r * length, lines + r * length, 1, static_cast<size_t>(length));
    }
    for (int64_t i = 0; i < length; ++i)
        for (size_t r = 0; r < together; ++r) sums[r] += lines[static_cast<int64_t>(r) * length + i];
    for (size_t r = 0; r < together; ++r)
        if (is_usual[r]) divide(lines + static_cast<int64_t>(r) * length, length, sums[r]);
}

#endif

class SoftmaxKernel : public RealLines {
   public:
    using RealLines::RealLines;
    std::string name() const override { return "codes softmax"; }

   private:
    int64_t length_of(const Dims& dims) const override { return dims.back(); }
    void compute(float* lines, int64_t count, int64_t length) const override {
        int64_t i = 0;
#if defined(__x86_64__)
        if (isa() >= Isa::avx2)
            for (; i + together <= count; i += together) soften_together(lines + i * length, length);
#endif
        for (; i < count; ++i) softmax_line(lines + i * length, lines + i * length, 1, static_cast<size_t>(length));
    }
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = real_lines_obstacle(site);
    const Shape& x = site.value(site.first().in[0]).type.shape;
    if (refusal.empty() && normal_axis(NodeView(site.first()).integer("axis"), x.rank()) + 1 != x.rank())
        refusal = "is not along the last axis";
    return refusal.empty() ? std::make_unique<SoftmaxKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Softmax, .make = make}};

}  // namespace

std::span<const KernelRow> softmax_rows() { return rows; }

}  // namespace quern::codes
