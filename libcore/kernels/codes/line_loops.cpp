#include "libcore/kernels/codes/line_loops.h"

#include <array>
#include <cmath>

#include "libcore/kernels/vectors.h"
#include "libcore/ops/shared/norm.h"

#if defined(QUERN_VECTORS)
namespace quern::codes {
HWY_BEFORE_NAMESPACE();
namespace {

using namespace vectors;

constexpr int across = lanes / 2;  // lines whose numbers are in a vector

// ---- softmax -------------------------------------------------------------------------------------------------------------------------

// ops/portable/exp_log.h of numbers from -104 to 0.
HWY_INLINE Double exp_of(Double x) {
    const auto constant = [](double number) HWY_ATTR { return hn::Set(DDouble(), number); };
    const auto n = truncated(x * constant(1.4426950408889634) - constant(0.5));
    const Double whole = hn::PromoteTo(DDouble(), n);
    const Double r = (x - whole * constant(0.6931471803691238)) - whole * constant(1.9082149292705877e-10), r2 = r * r, r4 = r2 * r2;
    const Double low = (constant(1.0) + r) + (constant(1.0 / 2.0) + r * constant(1.0 / 6.0)) * r2;
    const Double high = (constant(1.0 / 24.0) + r * constant(1.0 / 120.0)) + (constant(1.0 / 720.0) + r * constant(1.0 / 5040.0)) * r2;
    const Double series = (low + high * r4) + (constant(1.0 / 40320.0) + r * constant(1.0 / 362880.0)) * (r4 * r4);
    const Int64 power = hn::ShiftLeft<52>(hn::PromoteTo(D64(), n) + hn::Set(D64(), 1023));
    return series * hn::BitCast(DDouble(), power);
}

// Numbers of which none is greater than 0; as float_exp, 0 below -104.
HWY_INLINE Float exp_of(Float x) {
    const Float min = all(-104.0f), bounded = hn::Max(x, min);
    const Float y = floats(exp_of(low_doubles(bounded)), exp_of(high_doubles(bounded)));
    return hn::IfThenZeroElse(x < min, y);
}

// The greatest number; NaN where a number is NaN, or the greatest is not finite.
float max_of(const float* x, int64_t length) {
    Float max = all(-INFINITY);
    auto bad = hn::IsNaN(max);
    int64_t i = 0;
    for (; i + lanes <= length; i += lanes) {
        const Float item = load(x + i);
        bad = hn::Or(bad, hn::IsNaN(item));
        max = hn::Max(max, item);
    }
    float greatest = hn::GetLane(hn::MaxOfLanes(DFloat(), max));
    bool is_bad = !hn::AllFalse(DFloat(), bad);
    for (; i < length; ++i) {
        is_bad = is_bad || x[i] != x[i];
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    return is_bad || !__builtin_isfinite(greatest) ? NAN : greatest;
}

// To exponentials of the numbers less the greatest one.
void raise(float* x, int64_t length, float max) {
    int64_t i = 0;
    for (; i + lanes <= length; i += lanes) hn::StoreU(exp_of(load(x + i) - all(max)), DFloat(), x + i);
    if (i == length) return;
    float rest[lanes] = {};
    const size_t left = static_cast<size_t>(length - i) * sizeof *x;
    std::memcpy(rest, x + i, left);
    hn::StoreU(exp_of(load(rest) - all(max)), DFloat(), rest);
    std::memcpy(x + i, rest, left);
}

void divide(float* x, int64_t length, float sum) {
    int64_t i = 0;
    for (; i + lanes <= length; i += lanes) hn::StoreU(load(x + i) / all(sum), DFloat(), x + i);
    for (; i < length; ++i) x[i] /= sum;
}

// ---- moments -------------------------------------------------------------------------------------------------------------------------

// The next numbers of the lines: numbers[k] are number k of each.
HWY_INLINE void load_across(const float* lines, int64_t length, Double (&numbers)[across]) {
    using DFew = hn::Rebind<float, DDouble>;
    hn::Vec<DFew> x[across], y[across];
#pragma GCC unroll 4
    for (int k = 0; k < across; ++k) x[k] = hn::LoadU(DFew(), lines + k * length);
#pragma GCC unroll 2
    for (int step = 1; step < across; step *= 2) {
#pragma GCC unroll 2
        for (int k = 0; k < across / 2; ++k) {
            y[2 * k] = hn::InterleaveLower(DFew(), x[k], x[k + across / 2]);
            y[2 * k + 1] = hn::InterleaveUpper(DFew(), x[k], x[k + across / 2]);
        }
#pragma GCC unroll 4
        for (int k = 0; k < across; ++k) x[k] = y[k];
    }
#pragma GCC unroll 4
    for (int k = 0; k < across; ++k) numbers[k] = hn::PromoteTo(DDouble(), x[k]);
}

// take(h, numbers) of each number, in the order of the lines, of the h-th vector of them.
template <class Take>
HWY_INLINE void for_each_number(const float* lines, int64_t length, const Take& take) {
    constexpr int vectors_of_lines = together / across;
    int64_t i = 0;
    for (; i + across <= length; i += across)
#pragma GCC unroll 4
        for (int h = 0; h < vectors_of_lines; ++h) {
            Double numbers[across];
            load_across(lines + h * across * length + i, length, numbers);
#pragma GCC unroll 4
            for (int k = 0; k < across; ++k) take(h, numbers[k]);
        }
    for (; i < length; ++i)
        for (int h = 0; h < vectors_of_lines; ++h) {
            double numbers[across];
            for (int k = 0; k < across; ++k) numbers[k] = lines[(h * across + k) * length + i];
            take(h, hn::LoadU(DDouble(), numbers));
        }
}

}  // namespace

void moments_together(const float* lines, int64_t length, Moments& moments) {
    const Double count = hn::Set(DDouble(), static_cast<double>(length)), none = hn::Zero(DDouble());
    Double sums[together / across], means[together / across];
    for (Double& sum : sums) sum = none;
    for_each_number(lines, length, [&](int h, Double x) HWY_ATTR { sums[h] = sums[h] + x; });
    for (int h = 0; h < together / across; ++h) means[h] = sums[h] / count, sums[h] = none;
    for_each_number(lines, length, [&](int h, Double x) HWY_ATTR { sums[h] = sums[h] + (x - means[h]) * (x - means[h]); });
    for (int h = 0; h < together / across; ++h) {
        hn::StoreU(means[h], DDouble(), moments.means + h * across);
        hn::StoreU(sums[h] / count, DDouble(), moments.variances + h * across);
    }
}

// Gives how many were computed.
size_t normalize_vectors(float* x, double mean, double inverse, std::span<const float> scale, std::span<const float> bias) {
    const Double means = hn::Set(DDouble(), mean), inverses = hn::Set(DDouble(), inverse);
    size_t i = 0;
    for (; i + lanes <= scale.size(); i += lanes) {
        const Float own = load(x + i), normal = floats((low_doubles(own) - means) * inverses, (high_doubles(own) - means) * inverses);
        hn::StoreU(normal * load(scale.data() + i) + load(bias.data() + i), DFloat(), x + i);
    }
    return i;
}

HWY_AFTER_NAMESPACE();

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

}  // namespace quern::codes
#endif
