// Real activations beside weights in codes (TensorFlow Lite's hybrid kernels): the activations are rounded on the way in, a slice at a
// time, symmetrically to codes of -127..127, or with a zero point of their own to -128..127.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quern {

// Rounds `items` to `codes`, less their zero point, and returns the scale; 1, and codes of 0, where all are 0. A number that is not finite
// throws Exit::bad_input.
float round_slice(std::span<const float> items, std::span<int32_t> codes, bool symmetric);

struct Rounded {
    std::vector<int32_t> codes;  // less their zero point
    std::vector<float> scales;   // one a slice of dim 0
};
Rounded rounded(std::span<const float> items, int64_t slices, bool symmetric);

}  // namespace quern
