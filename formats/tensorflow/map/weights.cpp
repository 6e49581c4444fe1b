#include "formats/tensorflow/map/weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "libcore/ops/shared/portable_math.h"

namespace quern::tensorflow_format {
namespace {

std::vector<float> no_weights(int64_t from, int64_t to) { return std::vector<float>(static_cast<size_t>(from * to), 0.0f); }

float scale_of(int64_t from, int64_t to, bool align_corners) {
    return align_corners && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                   : static_cast<float>(from) / static_cast<float>(to);
}

// The weights of the pixels before, at, behind and two behind a place `step` / 1024 behind a pixel.
std::array<float, 4> cubic_at(int64_t step, float a) {
    constexpr int64_t steps = 1024;
    const auto near = [&](int64_t i) {
        const float x = static_cast<float>(i) / steps;
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    };
    const auto far = [&](int64_t i) {
        const float x = static_cast<float>(i) / steps + 1;
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    };
    return {far(step), near(step), near(steps - step), far(steps - step)};
}

// Sums that mean something are made 1.
void normalize(float* row, int64_t count) {
    float sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += row[i];
    if (std::fabs(sum) < 1000 * std::numeric_limits<float>::min()) return;
    for (int64_t i = 0; i < count; ++i) row[i] /= sum;
}

template <int radius>
float lanczos(float x) {
    constexpr float pi = 3.14159265f;
    if (x > radius) return 0;
    if (x <= 1e-3f) return 1;
    return radius * portable::sin(pi * x) * portable::sin(pi * x / radius) / (pi * pi * x * x);
}

float triangle(float x) { return x < 1 ? 1 - x : 0; }

float box(float x) {
    if (x == 0.5f) return 0.5f;
    return x < 0.5f ? 1 : 0;
}

float gaussian(float x) { return x >= 1.5f ? 0 : portable::exp(-x * x / (2 * 0.5f * 0.5f)); }

float keys_cubic(float x) {
    if (x >= 2) return 0;
    return x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : ((1.5f * x - 2.5f) * x) * x + 1;
}

float mitchell_cubic(float x) {
    if (x >= 2) return 0;
    if (x >= 1) return (((-7.0f / 18) * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
    return (((7.0f / 6) * x - 2) * x) * x + 8.0f / 9;
}

}  // namespace

std::vector<float> cubic_weights(int64_t from, int64_t to, bool align_corners, bool half_pixel) {
    std::vector<float> weights = no_weights(from, to);
    const float scale = scale_of(from, to, align_corners);
    for (int64_t i = 0; i < to; ++i) {
        const auto place = static_cast<float>(i);
        const float at = half_pixel ? (place + 0.5f) * scale - 0.5f : place * scale, pixel = std::floor(at);
        const auto four = cubic_at(std::lrint((at - pixel) * 1024), half_pixel ? -0.5f : -0.75f);
        float* const row = weights.data() + i * from;
        for (int64_t k = 0; k < 4; ++k) {
            const int64_t source = static_cast<int64_t>(pixel) + k - 1, inside = std::clamp<int64_t>(source, 0, from - 1);
            if (half_pixel && source != inside) continue;
            row[inside] += four[static_cast<size_t>(k)];
        }
        if (half_pixel) normalize(row, from);
    }
    return weights;
}

std::vector<float> area_weights(int64_t from, int64_t to, bool align_corners) {
    std::vector<float> weights = no_weights(from, to);
    const float scale = scale_of(from, to, align_corners);
    for (int64_t i = 0; i < to; ++i) {
        const float start = static_cast<float>(i) * scale, end = static_cast<float>(i + 1) * scale;
        for (auto k = static_cast<int64_t>(std::floor(start)); k < static_cast<int64_t>(std::ceil(end)); ++k) {
            const auto pixel = static_cast<float>(k);
            const float covered = std::min(pixel + 1, end) - std::max(pixel, start);
            weights[static_cast<size_t>(i * from + std::clamp<int64_t>(k, 0, from - 1))] += covered / scale;
        }
    }
    return weights;
}

std::optional<SamplingKernel> sampling_kernel(std::string_view name) {
    struct Row {
        std::string_view name;
        SamplingKernel kernel;
    };
    static constexpr Row rows[] = {{"triangle", {1, triangle}},    {"box", {1, box}},
                                   {"lanczos1", {1, lanczos<1>}},  {"lanczos3", {3, lanczos<3>}},
                                   {"lanczos5", {5, lanczos<5>}},  {"gaussian", {1.5f, gaussian}},
                                   {"keyscubic", {2, keys_cubic}}, {"mitchellcubic", {2, mitchell_cubic}}};
    const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) { return each.name == name; });
    return row == std::end(rows) ? std::nullopt : std::optional(row->kernel);
}

std::vector<float> kernel_weights(int64_t from, int64_t to, float scale, float translation, const SamplingKernel& kernel, bool antialias) {
    std::vector<float> weights = no_weights(from, to);
    const float inverse = 1.0f / scale, moved = -inverse * translation, stretch = antialias ? std::max(inverse, 1.0f) : 1.0f,
                reach = kernel.radius * stretch;
    for (int64_t i = 0; i < to; ++i) {
        const float at = (static_cast<float>(i) + 0.5f) * inverse + moved;
        if (!(at >= 0 && at <= static_cast<float>(from))) continue;
        const auto first = static_cast<int64_t>(std::max(std::ceil(at - reach - 0.5f), 0.0f)),
                   last = static_cast<int64_t>(std::min(std::floor(at + reach - 0.5f), static_cast<float>(from - 1)));
        float* const row = weights.data() + i * from;
        for (int64_t k = first; k <= last; ++k) row[k] = kernel.weight(std::fabs(static_cast<float>(k) + 0.5f - at) / stretch);
        normalize(row, from);
    }
    return weights;
}

}  // namespace quern::tensorflow_format
