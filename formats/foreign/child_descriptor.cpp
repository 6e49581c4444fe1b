#include "formats/foreign/child_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "formats/foreign/child_protocol.h"
#include "libcore/base/error.h"

namespace quern {

ChildDescriptor::ChildDescriptor(int fd) : fd_(::fcntl(fd, F_DUPFD_CLOEXEC, child::report_descriptor + 1)) {
    const int failure = errno;
    ::close(fd);
    if (fd_ < 0) throw io_error("cannot start a child process: {}", std::strerror(failure));
}

void ChildDescriptor::close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace quern
