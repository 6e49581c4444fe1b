#include "libcore/quant/collect/run_log.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/os/io.h"

namespace quern {

static_assert(sizeof(Extremes) == 8);

RunLog::RunLog(size_t values) : values_(values), fd_(open_spool()) {}
RunLog::~RunLog() { ::close(fd_); }

void RunLog::put(uint64_t position, std::span<const Extremes> extremes) {
    const auto* data = reinterpret_cast<const char*>(extremes.data());
    size_t left = extremes.size_bytes();
    auto offset = static_cast<off_t>(position * values_ * sizeof(Extremes));
    while (left > 0) {
        const ssize_t done = ::pwrite(fd_, data, left, offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) throw io_error("temporary file: cannot write: {}", std::strerror(errno));
        data += done;
        offset += done;
        left -= static_cast<size_t>(done);
    }
}

Extremes RunLog::get(size_t value, uint64_t position) const {
    Extremes e;
    const auto offset = static_cast<off_t>((position * values_ + value) * sizeof e);
    if (::pread(fd_, &e, sizeof e, offset) != sizeof e) throw io_error("temporary file: cannot read: {}", std::strerror(errno));
    return e;
}

}  // namespace quern
