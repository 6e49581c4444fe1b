#include "libcore/os/load_meter.h"

#include <time.h>

#include <algorithm>

namespace quern {
namespace {

constexpr uint64_t stretch = 2'000'000, idle = 20'000'000;                 // nanoseconds: what is judged at once; longer ones say nothing
constexpr uint64_t shortest_calm = 4'000'000, longest_calm = 256'000'000;  // what a crowded time is followed by
constexpr double share = 0.8;                                              // of the time, that a thread gets which nobody disturbs

uint64_t read(clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace

uint64_t LoadMeter::now() { return read(CLOCK_MONOTONIC); }

bool LoadMeter::crowded() {
    const uint64_t wall = now(), passed = wall - wall_;
    if (passed < stretch) return crowded_;
    const uint64_t own = read(CLOCK_THREAD_CPUTIME_ID), got = own - own_;
    wall_ = wall;
    own_ = own;
    if (passed > idle) return crowded_;
    if (static_cast<double>(got) < share * static_cast<double>(passed)) {
        need_ = crowded_ ? need_ : std::clamp(2 * need_, shortest_calm, longest_calm);
        calm_for_ = 0;
        crowded_ = true;
    } else {
        calm_for_ += passed;
        if (crowded_ && calm_for_ >= need_) crowded_ = false;
        if (calm_for_ > 2 * longest_calm) need_ = 0;
    }
    return crowded_;
}

}  // namespace quern
