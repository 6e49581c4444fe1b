// Samples in two: rows that choose types prove nothing of them, so others are held back.
#pragma once

#include <memory>

#include "formats/samples/source.h"

namespace quern {

class Split {
   public:
    static constexpr uint64_t min_rows = 16;  // fewer: none is held back

    // Every fourth sample, beginning with the second, is held back; `consecutive`: the last fourth, as commands count rows from the first.
    // `source` must outlive this.
    explicit Split(const SampleSource& source, bool consecutive = false);

    const SampleSource& all() const { return source_; }
    const SampleSource& choosing() const { return choosing_ ? *choosing_ : source_; }
    const SampleSource* held_back() const { return held_back_.get(); }  // nullptr: there are too few

   private:
    const SampleSource& source_;
    std::unique_ptr<SampleSource> choosing_, held_back_;
};

}  // namespace quern
