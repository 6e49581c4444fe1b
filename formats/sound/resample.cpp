#include "formats/sound/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "libcore/base/error.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

constexpr double crossings = 6, rolloff = 0.99;
constexpr int64_t most_ratio = 256, most_kept = int64_t{1} << 20;

// Without common factors.
std::pair<int64_t, int64_t> ratio(int64_t from, int64_t to) {
    if (from > to * most_ratio || to > from * most_ratio)
        throw unsupported("has {} samples a second, which cannot become {}: at most {} times more or less", from, to, most_ratio);
    const int64_t common = std::gcd(from, to);
    return {from / common, to / common};
}

}  // namespace

int64_t resampled_frames(int64_t frames, int64_t from, int64_t to) {
    const auto [fewer, more] = ratio(from, to);
    return (frames * more + fewer - 1) / fewer;
}

Resampler::Resampler(int64_t from, int64_t to) {
    std::tie(from_, to_) = ratio(from, to);
    cutoff_ = static_cast<double>(std::min(from_, to_)) * rolloff;
    const double taps = 2 * crossings * static_cast<double>(from_) / cutoff_ + 1;
    if (static_cast<double>(to_) * taps > static_cast<double>(most_kept)) return;
    for (int64_t number = 0; number < to_; ++number) phases_.push_back(phase(number));
}

Resampler::Phase Resampler::phase(int64_t number) const {
    const double at = static_cast<double>(number) / static_cast<double>(to_), reach = crossings / cutoff_;
    const auto blocks = static_cast<double>(from_);
    Phase made{static_cast<int64_t>(std::ceil((at - reach) * blocks)), {}};
    const auto last = static_cast<int64_t>(std::floor((at + reach) * blocks));
    for (int64_t i = made.first; i <= last; ++i) {
        const double t = std::clamp((static_cast<double>(i) / blocks - at) * cutoff_, -crossings, crossings);
        const double hann = portable::cos(t * std::numbers::pi / crossings / 2), turn = t * std::numbers::pi;
        made.weights.push_back((turn == 0 ? 1 : portable::sin(turn) / turn) * hann * hann * cutoff_ / blocks);
    }
    return made;
}

std::vector<float> Resampler::read(SoundFile& file, int64_t first, int64_t count, std::optional<int64_t> channel) const {
    std::vector<float> out(static_cast<size_t>(count));
    constexpr int64_t part = 1 << 16;  // results at a time, so that memory is bounded
    for (int64_t done = 0; done < count; done += part) {
        const int64_t begin = first + done, end = std::min(begin + part, first + count);
        const auto reach = static_cast<int64_t>(std::ceil(crossings * static_cast<double>(from_) / cutoff_)) + 1;
        const int64_t low = std::max<int64_t>(0, begin * from_ / to_ - reach), high = (end - 1) * from_ / to_ + reach + 1;
        const std::vector<float> inputs = file.read(low, high - low + 1, channel);
        for (int64_t n = begin; n < end; ++n) {
            const Phase own = phases_.empty() ? phase(n % to_) : Phase();
            const Phase& used = phases_.empty() ? own : phases_[static_cast<size_t>(n % to_)];
            const int64_t start = n / to_ * from_ + used.first - low;
            double sum = 0;
            for (size_t i = 0; i < used.weights.size(); ++i) {
                const int64_t place = start + static_cast<int64_t>(i);
                if (place >= 0 && place < static_cast<int64_t>(inputs.size()))
                    sum += used.weights[i] * static_cast<double>(inputs[static_cast<size_t>(place)]);
            }
            out[static_cast<size_t>(n - first)] = static_cast<float>(sum);
        }
    }
    return out;
}

}  // namespace quern
