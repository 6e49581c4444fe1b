// TensorFlow's fake quantization: a range moved so that 0 is one of its steps.
#pragma once

namespace quern {

struct NudgedRange {
    float bottom, top, scale;
};

// Of codes of `bits` bits; `narrow`: without the least. `low` < `high`.
NudgedRange nudged_range(float low, float high, int bits, bool narrow);

}  // namespace quern
