// TensorFlow's fake quantization.
#pragma once

#include <span>

#include "libcore/passes/decompose/terms.h"

namespace quern::decompose {

// A range moved so that 0 is one of its steps.
struct NudgedRange {
    float bottom, top, scale;
};
// Of integers of `bits` bits; `narrow`: without the least. `low` < `high`.
NudgedRange nudged_range(float low, float high, int bits, bool narrow);

// floor((clip(x) - bottom) / scale + 1/2) * scale + bottom in float32, by one range, or of `channels` by one for each of the last dim.
Term fake_quantized(const Term& x, std::span<const NudgedRange> ranges, bool channels = false);

}  // namespace quern::decompose
