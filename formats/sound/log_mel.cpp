#include "formats/sound/log_mel.h"

#include <algorithm>
#include <numbers>

#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

double mel_of(double hz) { return 2595.0 * portable::log10(1.0 + hz / 700.0); }
double hz_of(double mel) { return 700.0 * (portable::pow(10.0, mel / 2595.0) - 1.0); }

}  // namespace

LogMel::LogMel(const MelForm& form) : form_(form) {
    const auto length = static_cast<size_t>(form.length);
    for (size_t i = 0; i < length; ++i) {
        const double turn = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
        cosines_.push_back(portable::cos(turn));
        sines_.push_back(portable::sin(turn));
        window_.push_back(0.5 - 0.5 * cosines_[i]);
    }
    const double low = mel_of(form.low), step = (mel_of(form.high) - low) / static_cast<double>(form.bands + 1);
    const double bin = static_cast<double>(form.rate) / static_cast<double>(length);
    for (int64_t band = 0; band < form.bands; ++band) {
        const double left = hz_of(low + step * static_cast<double>(band)), middle = hz_of(low + step * static_cast<double>(band + 1)),
                     right = hz_of(low + step * static_cast<double>(band + 2));
        Triangle& triangle = triangles_.emplace_back();
        for (size_t k = 0; k <= length / 2; ++k) {
            const double hz = static_cast<double>(k) * bin;
            const double weight = std::min((hz - left) / (middle - left), (right - hz) / (right - middle));
            if (weight <= 0) continue;
            if (triangle.weights.empty()) triangle.first = k;
            triangle.weights.push_back(weight);
        }
    }
}

void LogMel::powers(const float* samples, std::vector<double>& to) const {
    const size_t length = window_.size();
    std::vector<double> frame(length);
    for (size_t i = 0; i < length; ++i) frame[i] = static_cast<double>(samples[i]) * window_[i];
    for (size_t k = 0; k < to.size(); ++k) {
        double real = 0, imaginary = 0;
        size_t turn = 0;  // k * i, modulo the length
        for (size_t i = 0; i < length; ++i) {
            real += frame[i] * cosines_[turn];
            imaginary += frame[i] * sines_[turn];
            turn += k;
            if (turn >= length) turn -= length;
        }
        to[k] = real * real + imaginary * imaginary;
    }
}

std::vector<float> LogMel::of(std::span<const float> samples) const {
    std::vector<float> result;
    std::vector<double> power(window_.size() / 2 + 1);
    for (int64_t frame = 0; frame < form_.frames(static_cast<int64_t>(samples.size())); ++frame) {
        powers(samples.data() + frame * form_.stride, power);
        for (const Triangle& triangle : triangles_) {
            double sum = 0;
            for (size_t i = 0; i < triangle.weights.size(); ++i) sum += triangle.weights[i] * power[triangle.first + i];
            result.push_back(static_cast<float>(portable::log(sum + form_.floor)));
        }
    }
    return result;
}

}  // namespace quern
