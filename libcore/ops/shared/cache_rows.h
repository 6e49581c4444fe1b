// TensorScatter, checked once for its reference and its kernel: new rows that are put into a cache, from an index of its own for each
// batch row on.
#pragma once

#include "libcore/ops/shared/shared.h"

namespace quern {

struct CacheRowsRule {
    int64_t axis;
    bool circular;  // rows after the end begin again at 0
    explicit CacheRowsRule(const NodeView& node);
};

class CacheRows {
   public:
    // starts: the write indices, nullptr: 0. Throws Exit::bad_input if the rows do not fit.
    CacheRows(const CacheRowsRule& rule, const Dims& cache, const Dims& update, const Tensor* starts);

    // write(place, source, count): `count` elements of the update from `source` on go to `place` of the cache.
    template <class Write>
    void each(const Write& write) const {
        for (size_t o = 0; o < outer_; ++o) {
            const int64_t start = starts_[o / per_batch_];
            for (size_t r = 0; r < rows_;) {
                const size_t row = (static_cast<size_t>(start) + r) % length_, count = std::min(rows_ - r, length_ - row);
                write((o * length_ + row) * inner_, (o * rows_ + r) * inner_, count * inner_);
                r += count;
            }
        }
    }

   private:
    size_t outer_, inner_, per_batch_, length_, rows_;
    std::vector<int64_t> starts_;
};

}  // namespace quern
