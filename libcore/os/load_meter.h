// Whether other processes take the processors from a thread that computes.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace quern {

// For one thread at a time, which asks often (between the layers of a network, say). Of the time that passed between two questions a
// thread that computes alone gets nearly all; what it does not get went to others: to those of its own process, which shared its processor
// for a moment, or, where `others` says that such are there, to other processes. After a crowded time it takes a calm one of the same
// length, at least, to be believed: twice as long after each relapse.
class LoadMeter {
   public:
    explicit LoadMeter(std::function<bool()> others) : others_(std::move(others)) {}

    bool crowded();
    bool crowded_at(uint64_t wall, uint64_t own);               // by clocks that were read: of the machine, of this thread on a processor
    void slept(uint64_t nanoseconds) { wall_ += nanoseconds; }  // of its own will: for others' results, not for a processor

    static uint64_t now();  // nanoseconds of a clock that never goes back

   private:
    std::function<bool()> others_;
    uint64_t wall_ = 0, own_ = 0;       // at the beginning of the current stretch
    uint64_t calm_for_ = 0, need_ = 0;  // nanoseconds of calm so far, and those that are needed
    bool crowded_ = false;
};

// Threads of the whole machine that compute or wait for a processor just now, the calling one among them; 0: unknown.
int running_threads();

// Whether the processes of this container get a part of the processors' time alone, whatever they may run on.
bool has_time_quota();

}  // namespace quern
