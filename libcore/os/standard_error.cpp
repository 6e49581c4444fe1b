#include "libcore/os/standard_error.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace quern {
namespace {

// A pipe that others share may have been made one that does not wait.
bool is_ready_again() {
    constexpr int milliseconds = 1000;
    pollfd one{STDERR_FILENO, POLLOUT, 0};
    return ::poll(&one, 1, milliseconds) > 0;
}

}  // namespace

void write_standard_error(std::string_view text) noexcept {
    const int before = errno;
    while (!text.empty()) {
        const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
        if (done > 0)
            text.remove_prefix(static_cast<size_t>(done));
        else if (!(done < 0 && (errno == EINTR || (errno == EAGAIN && is_ready_again()))))
            break;
    }
    errno = before;
}

}  // namespace quern
