#include "libcore/cli/time_limit.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/leftovers.h"
#include "libcore/os/standard_error.h"

namespace quern {
namespace {

std::atomic<bool> decided = false;  // by the end of the work or by that of the time, whichever comes first

void watch(std::chrono::steady_clock::time_point end, const std::string& message) {
    std::this_thread::sleep_until(end);
    if (decided.exchange(true)) return;
    remove_leftovers();
    write_standard_error(message);
    ::_exit(static_cast<int>(Exit::unsupported));
}

}  // namespace

double parse_time_limit(const std::string& text) {
    constexpr double max = 1e9;
    const auto seconds = parse_double(text);
    if (!seconds || !(*seconds > 0) || *seconds > max) throw usage_error("got \"{}\", need seconds, as 60 or 0.5", escape(text));
    return *seconds;
}

void start_time_limit(double seconds, std::string_view tool) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
    std::thread(watch, end, fmt::format("{}: takes longer than {} s, its time limit (--time-limit)\n", tool, seconds)).detach();
}

void end_time_limit() {
    if (!decided.exchange(true)) return;
    for (;;) ::pause();
}

}  // namespace quern
