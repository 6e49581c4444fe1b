// Memory of this process while something is done, looked at every 5 ms.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace quern::onert_run {

struct MemoryKib {
    uint64_t rss = 0, hwm = 0, pss = 0;
    void raise_to(const MemoryKib& other);
};

MemoryKib memory_now();

// The most of each from construction to stop().
class MemoryPoll {
   public:
    MemoryPoll();
    ~MemoryPoll();
    MemoryPoll(const MemoryPoll&) = delete;
    MemoryPoll& operator=(const MemoryPoll&) = delete;
    MemoryKib stop();

   private:
    MemoryKib max_;
    std::atomic<bool> done_ = false;
    std::thread thread_;
};

}  // namespace quern::onert_run
