#include "libcore/os/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "libcore/base/error.h"

namespace quern {
namespace {

// Ours, with `changed` in place of what has these names.
std::vector<char*> environment_with(const std::vector<std::string>& changed) {
    std::vector<char*> out;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('=') + 1);
        if (std::ranges::none_of(changed, [&](const std::string& own) { return own.starts_with(name); })) out.push_back(*entry);
    }
    for (const std::string& own : changed) out.push_back(const_cast<char*>(own.c_str()));
    out.push_back(nullptr);
    return out;
}

int spawn(pid_t& id, const std::string& program, char* const* words, char* const* environment, const posix_spawn_file_actions_t& actions) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int failure = ::posix_spawn(&id, program.c_str(), &actions, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

}  // namespace

Process::Process(const std::string& program, const std::vector<std::string>& words, std::span<const std::pair<int, int>> places,
                 const std::vector<std::string>& environment) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (::fcntl(STDERR_FILENO, F_GETFD) >= 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    else
        for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
    for (const auto& [ours, theirs] : places) posix_spawn_file_actions_adddup2(&actions, ours, theirs);
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int failure = spawn(id_, program, arguments.data(), environment_with(environment).data(), actions);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw io_error("{}: {}", program, std::strerror(failure));
}

Process::~Process() {
    if (ended_) return;
    kill();
    ended(0);
}

void Process::kill() { ::kill(id_, SIGKILL); }

bool Process::ended(int how) {
    while (!ended_) {
        const pid_t got = ::waitpid(id_, &status_, how);
        if (got == 0) return false;
        ended_ = got > 0 || errno != EINTR;  // a host that ignores SIGCHLD is not told the status
    }
    return true;
}

std::string extended_variable(const char* name, std::string_view first, std::string_view last) {
    const char* own = std::getenv(name);
    std::string list;
    for (const std::string_view part : {first, std::string_view(own ? own : ""), last}) {
        if (!list.empty() && !part.empty()) list += ':';
        list += part;
    }
    return fmt::format("{}={}", name, list);
}

}  // namespace quern
