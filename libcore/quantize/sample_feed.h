// Samples from files, as the quantizer and its collection of ranges take them.
#pragma once

#include "formats/samples/source.h"
#include "libcore/quant/collect/sample_feed.h"

namespace quern {

// Without feedback. `source` must outlive it.
inline SampleFeed sample_feed(const SampleSource& source) {
    return {.count = source.count(),
            .sample = [&source](uint64_t i) { return source.sample(i); },
            .place = [&source](uint64_t i) { return source.place(i); },
            .index = [&source](uint64_t i) { return source.index(i); },
            .digest = source.digest(),
            .rows = [&source](uint64_t i) { return source.results(i); },
            .batch = [&source](uint64_t i) { return source.batch(i); }};
}

}  // namespace quern
