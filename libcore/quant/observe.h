// Statistics of one value: extremes, exact histogram, extremes per channel. Adding is independent of order and split.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libcore/graph/type.h"
#include "libcore/quant/ranges.h"

namespace quern {

struct Extremes {
    float min = __builtin_inff(), max = -__builtin_inff();
    bool seen() const { return min <= max; }
    void add(const Extremes& other) {
        min = other.min < min ? other.min : min;
        max = other.max > max ? other.max : max;
    }
};

// The extremes of finite numbers, -0 as +0; nullopt if one is NaN or infinite.
std::optional<Extremes> scan(std::span<const float> values);

class ValueStatistics {
   public:
    // `axis` -1: not per channel.
    explicit ValueStatistics(bool histogram = false, int axis = -1) : histogram_(histogram), axis_(axis) {}

    // Throws Exit::bad_input, naming the element, if one is NaN or infinite. Returns the extremes of `values`.
    Extremes add(std::span<const float> values, const Dims& dims);
    void add_to(ValueRange& range) const;  // merges
    const Extremes& extremes() const { return extremes_; }

   private:
    void add_channels(std::span<const float> values, const Dims& dims);
    void count_bins(std::span<const float> values);
    Histogram::Bins counted() const;

    struct Free {
        void operator()(void* table) const;
    };
    bool histogram_;
    int axis_;
    Extremes extremes_;
    uint64_t count_ = 0;
    // Of 65,536 bins, whose pages are touched as bins are; what overflows a counter, and zeros, are counted apart.
    std::unique_ptr<uint16_t[], Free> table_;
    Histogram::Bins overflows_;
    uint64_t zeros_ = 0;
    std::vector<Extremes> channels_;
    bool channels_differ_ = false;  // lengths differ from sample to sample: not per channel after all
};

}  // namespace quern
