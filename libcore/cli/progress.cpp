#include "libcore/cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "libcore/cli/tool.h"
#include "libcore/os/standard_error.h"

namespace quern {

Progress::Progress(std::string_view what, uint64_t total)
    : what_(what), total_(total), started_(Clock::now()), drawn_(started_), terminal_(verbosity() > 0 && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (visible_) write_standard_error("\r\033[K");
}

void Progress::step(uint64_t done) {
    done_ += done;
    if (!terminal_) return;
    const auto now = Clock::now();
    if (now - started_ < std::chrono::milliseconds(500) || now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    visible_ = true;
    draw();
}

void Progress::draw() const {
    if (total_ == 0) {
        write_standard_error(fmt::format("\r\033[K{} {}", what_, done_));
        return;
    }
    constexpr uint64_t width = 40;
    const uint64_t filled = std::min(width, done_ * width / total_);
    const double elapsed = std::chrono::duration<double>(drawn_ - started_).count();
    const double left = elapsed / static_cast<double>(std::max<uint64_t>(done_, 1)) * static_cast<double>(total_ - std::min(done_, total_));
    write_standard_error(
        fmt::format("\r\033[K{} [{:=<{}}{:{}}] {}/{} {:.0f} s left", what_, "", filled, "", width - filled, done_, total_, left));
}

}  // namespace quern
