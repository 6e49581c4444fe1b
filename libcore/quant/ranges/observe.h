// Statistics of one value: extremes, exact histogram, extremes per channel. Adding is independent of order and split.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "libcore/graph/type.h"
#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/ranges/scan.h"

namespace quern {

// The statistics of numbers, as they are of the same numbers limited to `bounds`, which are in order: exact, since bounds keep the order.
void clip(ValueRange& range, const Bounds& bounds);

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
