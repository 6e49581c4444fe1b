// Weights with which TensorFlow samples images along one dim, as a matrix [to, from].
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace quern::tensorflow_format {

// ResizeBicubic: from a table of 1024 steps between two pixels.
std::vector<float> cubic_weights(int64_t from, int64_t to, bool align_corners, bool half_pixel);
// ResizeArea: the part of each pixel that is covered.
std::vector<float> area_weights(int64_t from, int64_t to, bool align_corners);

struct SamplingKernel {
    float radius;
    float (*weight)(float distance);
};
std::optional<SamplingKernel> sampling_kernel(std::string_view name);
// ScaleAndTranslate
std::vector<float> kernel_weights(int64_t from, int64_t to, float scale, float translation, const SamplingKernel& kernel, bool antialias);

}  // namespace quern::tensorflow_format
