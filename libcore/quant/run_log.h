// Per-run extremes while they are collected: 8 bytes per value and sample in an unlinked temporary file.
#pragma once

#include <vector>

#include "libcore/quant/observe.h"
#include "libcore/quant/ranges_json.h"

namespace quern {

class RunLog {
   public:
    explicit RunLog(size_t values);
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    // Any thread; `extremes` has one entry per value, unseen ones included.
    void put(uint64_t position, std::span<const Extremes> extremes);
    // The extremes of a value at positions [0, count); unseen ones are left out. `index_of` gives the sample index of a position.
    template <class Fn>
    RunExtremes column(size_t value, uint64_t count, const Fn& index_of) const {
        RunExtremes runs;
        for (uint64_t i = 0; i < count; ++i)
            if (const Extremes e = get(value, i); e.seen()) runs.emplace(index_of(i), std::pair(e.min, e.max));
        return runs;
    }

   private:
    Extremes get(size_t value, uint64_t position) const;
    size_t values_;
    int fd_;
};

}  // namespace quern
