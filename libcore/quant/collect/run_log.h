// Per-run extremes while they are collected: 8 bytes per value and sample in an unlinked temporary file.
#pragma once

#include <vector>

#include "libcore/quant/ranges/observe.h"
#include "libcore/quant/ranges/ranges_json.h"

namespace quern {

class RunLog {
   public:
    explicit RunLog(size_t values);
    ~RunLog();
    RunLog(const RunLog&) = delete;
    RunLog& operator=(const RunLog&) = delete;

    // Any thread; `extremes` has one entry per value, unseen ones included.
    void put(uint64_t position, std::span<const Extremes> extremes);
    Extremes get(size_t value, uint64_t position) const;  // of a position that was put

   private:
    size_t values_;
    int fd_;
};

}  // namespace quern
