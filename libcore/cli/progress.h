// A bar on stderr, shown only when that is a terminal and the work takes longer than half a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace quern {

class Progress {
   public:
    // `total` 0: unknown, only the count is shown.
    Progress(std::string_view what, uint64_t total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void step(uint64_t done = 1);  // not thread-safe: call it under the caller's lock

   private:
    void draw() const;
    using Clock = std::chrono::steady_clock;
    std::string what_;
    uint64_t total_, done_ = 0;
    Clock::time_point started_, drawn_;
    bool terminal_, visible_ = false;
};

}  // namespace quern
