#include "formats/gguf/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "libcore/ops/shared/portable_math.h"

namespace quern::gguf {
namespace {

// The pair that makes `turns` in the context that a model was trained on.
double pair_of_turns(double turns, const Hyper& h, double base, int64_t context) {
    return static_cast<double>(h.rotated) * portable::log(static_cast<double>(context) / (turns * 2 * std::numbers::pi)) /
           (2 * portable::log(base));
}

// How much of the angle of pair i stays as it is: 1 for quick pairs, 0 for slow ones, a ramp between.
double kept(int64_t i, const Hyper& h, double base, const RopeScaling& s) {
    if (s.kind != RopeScaling::Kind::yarn) return 0;
    const double low = std::max(0.0, std::floor(pair_of_turns(s.beta_fast, h, base, s.original_context)));
    const double high = std::min(static_cast<double>(h.rotated - 1), std::ceil(pair_of_turns(s.beta_slow, h, base, s.original_context)));
    return 1 - std::clamp((static_cast<double>(i) - low) / std::max(0.001, high - low), 0.0, 1.0);
}

double length_of(const RopeScaling& s) {
    const bool longer = s.kind == RopeScaling::Kind::yarn && s.factor > 1;
    return (longer ? 1 + 0.1 * portable::log(s.factor) : 1) * s.attention_factor;
}

constexpr int64_t stride = 64;  // positions whose angles are sums of one and of a small one

// Cosines and sines of positions [first, first + count) of one pair, `step` numbers apart.
void fill(double speed, double length, int64_t first, int64_t count, float* cosine, float* sine, int64_t step) {
    const double at = static_cast<double>(first) * speed, cos_at = portable::cos(at), sin_at = portable::sin(at);
    const double cos_one = portable::cos(speed), sin_one = portable::sin(speed);
    double c = 1, s = 0;  // of the angle beyond `at`
    for (int64_t i = 0; i < count; ++i) {
        cosine[i * step] = static_cast<float>((cos_at * c - sin_at * s) * length);
        sine[i * step] = static_cast<float>((sin_at * c + cos_at * s) * length);
        const double next = c * cos_one - s * sin_one;
        s = s * cos_one + c * sin_one;
        c = next;
    }
}

}  // namespace

RopeTables rope_tables(const Hyper& h, double base, const RopeScaling& scaling, std::span<const float> divisors, int64_t positions) {
    const int64_t pairs = h.rotated / 2;
    const double length = length_of(scaling);
    std::vector<double> speed(static_cast<size_t>(pairs));
    for (int64_t i = 0; i < pairs; ++i) {
        const double own = portable::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(h.rotated)) /
                           (divisors.empty() ? 1.0 : static_cast<double>(divisors[static_cast<size_t>(i)]));
        const double keep = kept(i, h, base, scaling);
        speed[static_cast<size_t>(i)] = own * keep + own / scaling.factor * (1 - keep);
    }
    MutableBytes cosine(static_cast<size_t>(positions * pairs) * sizeof(float)), sine(cosine.size());
    auto *c = reinterpret_cast<float*>(cosine.data()), *s = reinterpret_cast<float*>(sine.data());
    for (int64_t p = 0; p < positions; p += stride) {
        const int64_t count = std::min(stride, positions - p);
        for (size_t i = 0; i < speed.size(); ++i) fill(speed[i], length, p, count, c + i, s + i, pairs);
        c += count * pairs;
        s += count * pairs;
    }
    return {{DType::f32, {positions, pairs}, std::move(cosine).freeze()}, {DType::f32, {positions, pairs}, std::move(sine).freeze()}};
}

}  // namespace quern::gguf
