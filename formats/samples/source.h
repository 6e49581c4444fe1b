// Samples, one after another or here and there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern {

class SampleSource {
   public:
    virtual ~SampleSource() = default;
    virtual uint64_t count() const = 0;
    // Tensors in the order of the specs that the source was made for, logical dtypes. Any thread may call.
    virtual std::vector<Tensor> sample(uint64_t i) const = 0;
    // Where sample i comes from, for messages: "sample 3 (list.txt, line 5)".
    virtual std::string place(uint64_t i) const = 0;
    // The number of the sample's first result in the whole list: what keys labels and per-run extremes.
    virtual uint64_t index(uint64_t i) const { return i; }
    // Results in sample i: more than 1 where lines of one element each fill a model's batch (the last one may be padded).
    virtual uint64_t results(uint64_t) const { return 1; }
    // Elements in its batch, padding included; 1: samples are not put together.
    virtual uint64_t batch(uint64_t) const { return 1; }
    // Samples one by one: as many as results, for a source that puts them together.
    virtual uint64_t items() const { return count(); }
    // Only the items [first, first + count) from now on; false if the source cannot do that by itself.
    virtual bool select(uint64_t /*first*/, uint64_t /*count*/) { return false; }
    uint64_t listed = 0;  // items that there are, beside those that are skipped or left out
    // Identifies what the source delivers: names, sizes and settings, not contents.
    virtual std::string digest() const = 0;
};

}  // namespace quern
