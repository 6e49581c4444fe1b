// Real activations beside weights in codes (TensorFlow Lite's hybrid kernels): the activations are rounded on the way in, a slice at a
// time, symmetrically to codes of -127..127, or with a zero point of their own to -128..127.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

struct ProfileRow;

// How a convolution or matrix product does it: by images or by rows, with zero points or without, and the sums become real as
// float(sum) * (slice's scale * channel's scale), or (float(sum) * channel's scale) * slice's scale.
struct HybridRounding {
    bool by_rows, symmetric, channel_first;
};
// Of a node that `row` takes, with weights of `dims`; nothing if the row does none of this.
std::optional<HybridRounding> hybrid_rounding(const ProfileRow& row, const Node& node, const Encoding& weights, const Dims& dims);

// Rounds `items` to `codes`, less their zero point, and returns the scale; 1, and codes of 0, where all are 0. A number that is not finite
// throws Exit::bad_input.
float round_slice(std::span<const float> items, std::span<int32_t> codes, bool symmetric);

struct Rounded {
    std::vector<int32_t> codes;  // less their zero point
    std::vector<float> scales;   // one per slice of dim 0
};
Rounded rounded(std::span<const float> items, int64_t slices, bool symmetric);

}  // namespace quern
