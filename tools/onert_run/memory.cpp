#include "tools/onert_run/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>

namespace quern::onert_run {
namespace {

// The text of a small file; no stream and no heap, since back ends are asked in children forked while this runs.
std::string_view read_small(const char* path, std::array<char, 4096>& buffer) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    ::close(fd);
    return {buffer.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
}

// The number behind "\nNAME:" and spaces.
uint64_t number_after(std::string_view text, std::string_view name) {
    size_t at = text.find(name);
    if (at == std::string_view::npos) return 0;
    at = std::min(text.find_first_of("0123456789", at + name.size()), text.size());
    uint64_t number = 0;
    std::from_chars(text.data() + at, text.data() + text.size(), number);
    return number;
}

}  // namespace

void MemoryKib::raise_to(const MemoryKib& other) {
    rss = std::max(rss, other.rss);
    hwm = std::max(hwm, other.hwm);
    pss = std::max(pss, other.pss);
}

MemoryKib memory_now() {
    std::array<char, 4096> buffer;
    MemoryKib now;
    const std::string_view status = read_small("/proc/self/status", buffer);
    now.rss = number_after(status, "\nVmRSS:");
    now.hwm = number_after(status, "\nVmHWM:");
    now.pss = number_after(read_small("/proc/self/smaps_rollup", buffer), "\nPss:");
    return now;
}

MemoryPoll::MemoryPoll()
    : thread_([this] {
          while (!done_) {
              max_.raise_to(memory_now());
              std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
      }) {}

MemoryPoll::~MemoryPoll() { stop(); }

MemoryKib MemoryPoll::stop() {
    done_ = true;
    if (thread_.joinable()) thread_.join();
    max_.raise_to(memory_now());
    return max_;
}

}  // namespace quern::onert_run
