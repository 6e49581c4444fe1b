// Sums by channel of one value: with its count they are the means that bias correction goes by. Adding is independent of order and split.
#pragma once

#include <span>
#include <vector>

#include "libcore/graph/type.h"
#include "libcore/quant/ranges/exact_sum.h"

namespace quern {

class ChannelSums {
   public:
    explicit ChannelSums(int axis = -1) : axis_(axis) {}  // -1: there are none

    // A part of a sample, always the same however samples are put together: its sums are rounded to float32, then added exactly. Where
    // they or the number of channels do not fit, there are no sums.
    void add(std::span<const float> values, const Dims& dims);
    void merge(const ChannelSums& other);
    const std::vector<ExactSum>& sums() const { return sums_; }  // empty: there are none

   private:
    void give_up();

    int axis_;
    bool given_up_ = false;
    std::vector<ExactSum> sums_;
};

}  // namespace quern
