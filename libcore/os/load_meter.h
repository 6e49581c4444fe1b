// Whether other processes take the processors from a thread that computes.
#pragma once

#include <cstdint>

namespace quern {

// For one thread at a time, which asks often (between the layers of a network, say). Of the time that passed between two questions a
// thread that computes alone gets nearly all; what it does not get went to others. After a crowded time it takes a calm one of the same
// length, at least, to be believed: twice as long after each relapse.
class LoadMeter {
   public:
    bool crowded();

    static uint64_t now();  // nanoseconds of a clock that never goes back

   private:
    uint64_t wall_ = 0, own_ = 0;       // at the beginning of the current stretch
    uint64_t calm_for_ = 0, need_ = 0;  // nanoseconds of calm so far, and those that are needed
    bool crowded_ = false;
};

}  // namespace quern
