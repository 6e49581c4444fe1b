#include "libcore/cli/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "libcore/base/leftovers.h"

namespace quern {
namespace {

int pipe_ends[2] = {-1, -1};

void die_of(int signal) {
    std::signal(signal, SIG_DFL);
    ::kill(::getpid(), signal);
}

// In the handler only what may be called there: the rest is the watcher's.
void caught(int signal) {
    const int before = errno;
    const auto byte = static_cast<unsigned char>(signal);
    if (!has_leftovers() || ::write(pipe_ends[1], &byte, 1) != 1) die_of(signal);
    errno = before;
}

void watch() {
    unsigned char signal = 0;
    while (::read(pipe_ends[0], &signal, 1) != 1)
        if (errno != EINTR) return;
    remove_leftovers();
    die_of(signal);
}

}  // namespace

void remove_leftovers_at_signals() {
    if (::pipe2(pipe_ends, O_CLOEXEC) != 0) return;
    keep_leftovers([] { std::thread(watch).detach(); });
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action = {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action.sa_handler = caught;
        action.sa_flags = SA_RESTART;
        ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace quern
