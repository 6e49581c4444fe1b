#include "libcore/os/load_meter.h"

#include <time.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "libcore/base/control_groups.h"

namespace quern {
namespace {

constexpr uint64_t stretch = 2'000'000, idle = 20'000'000;                 // nanoseconds: what is judged at once; longer ones say nothing
constexpr uint64_t shortest_calm = 4'000'000, longest_calm = 256'000'000;  // what a crowded time is followed by
constexpr double share = 0.8;                                              // of the time, that a thread gets which nobody disturbs

bool has_number(const std::string& path) {
    std::ifstream file(path);
    int64_t number = 0;
    return file >> number && number >= 0;  // "max" and -1 are none
}

uint64_t read(clockid_t clock) {
    timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace

uint64_t LoadMeter::now() { return read(CLOCK_MONOTONIC); }

bool LoadMeter::crowded() {
    const uint64_t wall = now();
    return wall < wall_ + stretch ? crowded_ : crowded_at(wall, read(CLOCK_THREAD_CPUTIME_ID));
}

bool LoadMeter::crowded_at(uint64_t wall, uint64_t own) {
    if (wall < wall_ + stretch) return crowded_;
    const uint64_t passed = wall - wall_, got = own - own_;
    wall_ = wall;
    own_ = own;
    if (passed > idle) return crowded_;
    if (static_cast<double>(got) < share * static_cast<double>(passed) && others_()) {
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

int running_threads() {  // source: proc(5), /proc/loadavg
    std::ifstream file("/proc/loadavg");
    std::string minute, five, fifteen;
    int running = 0;
    return file >> minute >> five >> fifteen >> running ? running : 0;
}

// Source: Linux, Documentation/admin-guide/cgroup-v2.rst, cpu.max; cgroup-v1, cpu.cfs_quota_us.
bool has_time_quota() {
    static const bool has = [] {
        const auto groups = control_groups();
        return has_number(std::string(control_group_root) + "/cpu/cpu.cfs_quota_us") ||
               std::any_of(groups.begin(), groups.end(), [](const std::string& group) { return has_number(group + "/cpu.max"); });
    }();
    return has;
}

}  // namespace quern
