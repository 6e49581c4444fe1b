#include "libcore/cli/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <thread>

#include "libcore/base/error.h"
#include "libcore/os/leftovers.h"
#include "libcore/os/mapped.h"
#include "libcore/os/standard_error.h"

namespace quern {
namespace {

int pipe_ends[2] = {-1, -1};

[[noreturn]] void pause_for_good() {
    for (;;) ::pause();
}

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
    if (signal == SIGBUS) ::_exit(static_cast<int>(Exit::io));
    die_of(signal);
}

const char* name_of_tool = "";

void write_all(std::initializer_list<const char*> parts) {
    for (const char* part : parts) write_standard_error(part);
}

// Raised by the reading thread itself, in the middle of what it reads: nothing of it can go on.
void caught_change(int signal, siginfo_t* info, void*) {
    const char* name = info->si_code == BUS_ADRERR ? mapped_at(info->si_addr) : nullptr;
    if (!name) {
        std::signal(signal, SIG_DFL);
        if (info->si_code <= 0) ::kill(::getpid(), signal);
        return;  // to the same access, which ends the process now
    }
    static std::atomic_flag told;
    if (told.test_and_set()) pause_for_good();
    write_all({name_of_tool, ": ", name, ": changed while it was read\n"});
    const auto byte = static_cast<unsigned char>(signal);
    if (!has_leftovers() || ::write(pipe_ends[1], &byte, 1) != 1) ::_exit(static_cast<int>(Exit::io));
    pause_for_good();
}

}  // namespace

void end_where_an_input_changes(const char* tool) {
    name_of_tool = tool;
    struct sigaction action = {};
    action.sa_sigaction = caught_change;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigaction(SIGBUS, &action, nullptr);
}

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
