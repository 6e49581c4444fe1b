#include "libcore/os/descriptors.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "libcore/base/error.h"

namespace quern {

std::string errno_text() { return std::strerror(errno); }

void write_all(int fd, const char* data, size_t size, const std::string& name) {
    while (size > 0) {
        const ssize_t done = ::write(fd, data, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0 && errno == EPIPE) throw ClosedPipe{};
        if (done <= 0) throw io_error("{}: cannot write: {}", name, errno_text());
        data += done;
        size -= static_cast<size_t>(done);
    }
}

bool copy_at_most(uint64_t max, int from, int to, const std::string& from_name, const std::string& to_name) {
    std::array<char, 1 << 16> chunk;
    for (;;) {
        const ssize_t got = ::read(from, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw io_error("{}: cannot read: {}", from_name, errno_text());
        if (got == 0) return true;
        if (static_cast<uint64_t>(got) > max) return false;
        max -= static_cast<uint64_t>(got);
        write_all(to, chunk.data(), static_cast<size_t>(got), to_name);
    }
}

void copy_descriptor(int from, int to, const std::string& from_name, const std::string& to_name) {
    copy_at_most(UINT64_MAX, from, to, from_name, to_name);
}

int open_unnamed(const std::string& folder, unsigned mode) {
#ifdef O_TMPFILE
    return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
#else
    errno = EOPNOTSUPP;
    return -1;
#endif
}

}  // namespace quern
