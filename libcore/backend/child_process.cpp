#include "libcore/backend/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "libcore/backend/child_protocol.h"
#include "libcore/base/error.h"

extern char** environ;

namespace quern {

ChildDescriptor::ChildDescriptor(int fd) : fd_(::fcntl(fd, F_DUPFD_CLOEXEC, child::report_descriptor + 1)) {
    const int failure = errno;
    ::close(fd);
    if (fd_ < 0) throw io_error("cannot start a child process: {}", std::strerror(failure));
}

void ChildDescriptor::close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

ChildProcess::ChildProcess(const std::string& program, std::string job, std::span<const std::pair<int, int>> places) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (::fcntl(STDERR_FILENO, F_GETFD) >= 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    for (const auto& [ours, theirs] : places) posix_spawn_file_actions_adddup2(&actions, ours, theirs);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const std::array<char*, 3> words{const_cast<char*>(program.c_str()), job.data(), nullptr};
    const int failure = ::posix_spawn(&id_, program.c_str(), &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw io_error("{}: {}", program, std::strerror(failure));
}

ChildProcess::~ChildProcess() {
    if (ended_) return;
    kill();
    ended(0);
}

void ChildProcess::kill() { ::kill(id_, SIGKILL); }

bool ChildProcess::ended(int how) {
    while (!ended_) {
        const pid_t got = ::waitpid(id_, &status_, how);
        if (got == 0) return false;
        ended_ = got > 0 || errno != EINTR;  // a host that ignores SIGCHLD is not told the status
    }
    return true;
}

}  // namespace quern
