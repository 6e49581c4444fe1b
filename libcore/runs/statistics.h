// Times of runs, and the memory of this process.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace quern {

class Stopwatch {
   public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

   private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

struct TimeSummary {
    uint64_t runs = 0;
    double total = 0, min = 0, mean = 0, median = 0, p90 = 0, p99 = 0, max = 0, geomean = 0;  // seconds
};
// Percentiles by nearest rank.
TimeSummary summarize(std::vector<double> seconds);

uint64_t peak_resident_bytes();

}  // namespace quern
