// Softmax and LayerNormalization of lines of float32, several at a time where there are vectors (QUERN_VECTORS): to the bit what
// ops/shared/norm.h gives of one.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/kernels/isa.h"

namespace quern::codes {

constexpr int64_t together = 8;  // lines whose sums are independent

void soften_together(float* lines, int64_t length);

struct Moments {
    double means[together], variances[together];
};
void moments_together(const float* lines, int64_t length, Moments& moments);
// x = (x - mean) * inverse * scale + bias. Gives how many were computed.
size_t normalize_vectors(float* x, double mean, double inverse, std::span<const float> scale, std::span<const float> bias);

}  // namespace quern::codes
