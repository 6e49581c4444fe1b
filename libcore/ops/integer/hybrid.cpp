#include "libcore/ops/integer/hybrid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/error.h"

namespace quern {
namespace {

// A finite range around 0.
std::pair<float, float> range_of(std::span<const float> items) {
    float low = 0, high = 0;
    for (const float item : items) {
        low = std::min(low, item);
        high = std::max(high, item);
    }
    if (!std::isfinite(low) || !std::isfinite(high)) throw bad_input("activations hold an infinite number");
    return {low, high};
}

int32_t clipped(float steps, float least, float greatest) {
    return steps == steps ? static_cast<int32_t>(std::clamp(steps, least, greatest)) : 0;
}

float round_symmetric(std::span<const float> items, std::span<int32_t> codes) {
    constexpr float limit = 127;
    const auto [low, high] = range_of(items);
    const float range = std::max(-low, high);
    if (range == 0) {
        std::ranges::fill(codes, 0);
        return 1;
    }
    const float inverse = limit / range;
    for (size_t i = 0; i < items.size(); ++i) codes[i] = clipped(std::round(items[i] * inverse), -limit, limit);
    return range / limit;
}

float round_asymmetric(std::span<const float> items, std::span<int32_t> codes) {
    constexpr double least = -128, greatest = 127;
    const auto [low, high] = range_of(items);
    if (low == high) {
        std::ranges::fill(codes, 0);
        return 1;
    }
    const double real = (static_cast<double>(high) - static_cast<double>(low)) / (greatest - least);
    const double below = static_cast<double>(low) / real, above = static_cast<double>(high) / real;
    const double zero = std::abs(least) + std::abs(below) < std::abs(greatest) + std::abs(above) ? least - below : greatest - above;
    const auto code = static_cast<int32_t>(std::round(std::clamp(zero, least, greatest)));
    const auto scale = static_cast<float>(real);
    const float inverse = 1.0f / scale;
    for (size_t i = 0; i < items.size(); ++i)
        codes[i] = clipped(std::round(static_cast<float>(code) + items[i] * inverse), -128, 127) - code;
    return scale;
}

}  // namespace

float round_slice(std::span<const float> items, std::span<int32_t> codes, bool symmetric) {
    return symmetric ? round_symmetric(items, codes) : round_asymmetric(items, codes);
}

Rounded rounded(std::span<const float> items, int64_t slices, bool symmetric) {
    Rounded out{std::vector<int32_t>(items.size(), 0), std::vector<float>(static_cast<size_t>(slices), 1.0f)};
    const size_t length = slices > 0 ? items.size() / static_cast<size_t>(slices) : 0;
    for (size_t s = 0; s < out.scales.size(); ++s) {
        const auto from = items.subspan(s * length, length);
        const std::span to(out.codes.data() + s * length, length);
        out.scales[s] = round_slice(from, to, symmetric);
    }
    return out;
}

}  // namespace quern
