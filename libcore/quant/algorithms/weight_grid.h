// WeightGrid: the scale and zero point of each element of an encoded weight, whatever shares them.
#pragma once

#include <vector>

#include "libcore/graph/encoding.h"

namespace quern {

class WeightGrid {
   public:
    WeightGrid(const Encoding& encoding, const Dims& dims);
    // Of fixed integer codes without minima; no other encoding has one.
    static bool takes(const Encoding& encoding);

    float scale(size_t element) const { return scales_[index(element)]; }
    float zero(size_t element) const { return zeros_[index(element)]; }
    float qmin() const { return qmin_; }
    float qmax() const { return qmax_; }

    // Which scale an element has.
    size_t index(size_t element) const {
        if (scales_.size() == 1) return 0;
        const size_t along = element / inner_ % length_;
        if (block_ == 0) return along;
        return (element / (inner_ * length_) * blocks_ + along / block_) * inner_ + element % inner_;
    }

   private:
    std::vector<float> scales_, zeros_;
    float qmin_, qmax_;
    size_t length_ = 1, inner_ = 1, block_ = 0, blocks_ = 1;
};

}  // namespace quern
