#include "libcore/quant/types/two_level.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace quern {
namespace {

constexpr uint32_t last_bits = 0xf;  // of the 24 that a float32 has: what an integer up to 16 adds

// The least number of 20 bits that is not below.
float with_20_bits(float number) {
    const auto bits = std::bit_cast<uint32_t>(number);
    return std::bit_cast<float>((bits + last_bits) & ~last_bits);
}

size_t channels_of(const Dims& dims, int axis) {
    size_t count = 1;
    for (size_t i = 0; i < dims.size(); ++i)
        if (i != static_cast<size_t>(axis)) count *= static_cast<size_t>(dims[i]);
    return count;
}

std::vector<float> greatest_of(std::span<const float> scales, const Dims& dims, int axis) {
    std::vector<float> greatest(channels_of(dims, axis), 0.0f);
    for (size_t i = 0; i < scales.size(); ++i) {
        float& most = greatest[channel_of_block(dims, axis, i)];
        most = std::max(most, scales[i]);
    }
    return greatest;
}

// The integer that `scale` is of `channel`, exactly; 0 if there is none.
int64_t integer_of(float scale, float channel) {
    const double ratio = static_cast<double>(scale) / static_cast<double>(channel);
    const double whole = std::nearbyint(ratio);
    if (!(whole >= 1 && whole <= static_cast<double>(two_level_most))) return 0;
    return whole * static_cast<double>(channel) == static_cast<double>(scale) ? static_cast<int64_t>(whole) : 0;
}

}  // namespace

size_t channel_of_block(const Dims& dims, int axis, size_t i) {
    size_t inner = 1;
    for (size_t k = static_cast<size_t>(axis) + 1; k < dims.size(); ++k) inner *= static_cast<size_t>(dims[k]);
    return i / (inner * static_cast<size_t>(dims[static_cast<size_t>(axis)])) * inner + i % inner;
}

void make_two_level(std::vector<float>& scales, const Dims& dims, int axis, float least) {
    std::vector<float> channels = greatest_of(scales, dims, axis);
    const float floor = std::max(least, std::numeric_limits<float>::min());
    for (float& channel : channels) channel = with_20_bits(std::max(channel / static_cast<float>(two_level_most), floor));
    for (size_t i = 0; i < scales.size(); ++i) {
        const float channel = channels[channel_of_block(dims, axis, i)];
        const float ratio = std::nearbyint(scales[i] / channel);
        scales[i] = std::clamp(ratio, 1.0f, static_cast<float>(two_level_most)) * channel;
    }
}

std::optional<TwoLevel> two_level_of(const Encoding& e, std::span<const float> scales) {
    if (!e.is_fixed() || e.storage != DType::i4 || e.block <= 0 || e.format || e.min.defined() || !e.symmetric() || scales.empty())
        return std::nullopt;
    const Dims& dims = e.scale.dims;
    const std::vector<float> greatest = greatest_of(scales, dims, e.axis);
    // Of several ways to say the same products the one with the least scales.
    TwoLevel out{std::vector<float>(greatest.size(), 0.0f), std::vector<int64_t>(scales.size(), 0)};
    std::vector<bool> fits(greatest.size());
    for (int64_t most = two_level_most; most >= 1; --most) {
        std::vector<float> tried(greatest.size());
        std::vector<bool> good(greatest.size());
        for (size_t c = 0; c < greatest.size(); ++c) {
            tried[c] = greatest[c] / static_cast<float>(most);
            good[c] = !fits[c] && (std::bit_cast<uint32_t>(tried[c]) & last_bits) == 0 && integer_of(greatest[c], tried[c]) == most;
        }
        for (size_t i = 0; i < scales.size(); ++i) {
            const size_t c = channel_of_block(dims, e.axis, i);
            if (good[c] && integer_of(scales[i], tried[c]) == 0) good[c] = false;
        }
        for (size_t c = 0; c < greatest.size(); ++c)
            if (good[c]) fits[c] = true, out.channels[c] = tried[c];
        if (std::ranges::all_of(fits, [](bool fit) { return fit; })) break;
    }
    if (!std::ranges::all_of(fits, [](bool fit) { return fit; })) return std::nullopt;
    for (size_t i = 0; i < scales.size(); ++i) out.integers[i] = integer_of(scales[i], out.channels[channel_of_block(dims, e.axis, i)]);
    return out;
}

}  // namespace quern
