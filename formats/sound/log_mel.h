// Log-mel spectra: what models of speech and keywords are fed with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quern {

struct MelForm {
    int64_t bands = 0, length = 0, stride = 0;  // of the result; samples of a frame, and from one frame to the next
    int64_t rate = 0;
    double low = 0, high = 0;  // Hz
    double floor = 1e-6;       // added before the logarithm

    int64_t frames(int64_t samples) const { return samples < length ? 0 : (samples - length) / stride + 1; }
};

// [frames, bands]: frames times a periodic Hann window, the power of their spectrum (a plain DFT of `length`), the sums of triangles
// between points that are even on the mel scale 2595 log10(1 + f / 700), ln(sum + floor).
class LogMel {
   public:
    explicit LogMel(const MelForm& form);
    std::vector<float> of(std::span<const float> samples) const;

   private:
    void powers(const float* samples, std::vector<double>& to) const;
    struct Triangle {
        size_t first = 0;
        std::vector<double> weights;
    };
    MelForm form_;
    std::vector<double> window_, cosines_, sines_;
    std::vector<Triangle> triangles_;
};

}  // namespace quern
