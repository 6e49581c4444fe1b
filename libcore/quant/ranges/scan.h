// Loops over the numbers of a value: extremes and bins, at the speed of the cache that they lie in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "libcore/graph/questions.h"

namespace quern {

struct Extremes {
    float min = __builtin_inff(), max = -__builtin_inff();
    bool seen() const { return min <= max; }
    void add(const Extremes& other) {
        min = other.min < min ? other.min : min;
        max = other.max > max ? other.max : max;
    }
    // Of the same numbers limited to `bounds`, which are in order; some were seen.
    Extremes clipped(const Bounds& bounds) const {
        return {std::clamp(min, bounds.low, bounds.high) + 0.0f, std::clamp(max, bounds.low, bounds.high) + 0.0f};
    }
};

// The extremes of finite numbers, -0 as +0; nullopt if one is NaN or infinite.
std::optional<Extremes> scan(std::span<const float> values);

// The bins (Histogram::bin_of) of `values` but those of zeros; returns how many. Zeros, which Relu makes plenty of, would wait for each
// other in one counter. `to` has room for bins_slack more than there are values: whole vectors are stored.
constexpr size_t bins_slack = 16;
size_t nonzero_bins(std::span<const float> values, uint32_t* to);

}  // namespace quern
