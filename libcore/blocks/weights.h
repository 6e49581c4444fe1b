// What searches weigh the numbers of a block by, and the rounding to codes once scales are chosen.
#pragma once

#include "libcore/blocks/lanes.h"

namespace quern::blocks {

// In order, as every sum here.
QUERN_INLINED float sum_of_squares(const float* x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}

// importance * sqrt(mean + x^2): large numbers count more, none counts nothing.
QUERN_INLINED void weigh(const float* x, const float* importance, float mean, size_t n, float* weights) {
    for (size_t i = 0; i < n; ++i) weights[i] = importance[i] * __builtin_sqrtf(mean + x[i] * x[i]);
}

QUERN_INLINED void squares(const float* x, size_t n, float* weights) {
    for (size_t i = 0; i < n; ++i) weights[i] = x[i] * x[i];
}

// Sums of `parts` parts of `n` weights.
QUERN_INLINED void sum_parts(const float* weights, size_t parts, size_t n, float* sums) {
    for (size_t part = 0; part < parts; ++part) {
        sums[part] = 0;
        for (size_t i = 0; i < n; ++i) sums[part] += weights[part * n + i];
    }
}

// Codes of `n` numbers, a multiple of the lanes, counted from `lowest`; left as they are where the scale is 0.
QUERN_INLINED void round_to(const float* x, size_t n, float scale, float min, int lowest, int highest, uint8_t* codes) {
    if (scale == 0.0f) return;
    for (size_t i = 0; i < n; i += lane_count) {
        const Ints rounded = clamp(nearest((load_lanes(x + i) - min) / scale), lowest, highest) - lowest;
        for (size_t lane = 0; lane < lane_count; ++lane) codes[i + lane] = static_cast<uint8_t>(rounded[lane]);
    }
}

}  // namespace quern::blocks
