#include "libcore/os/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/descriptors.h"
#include "libcore/os/io.h"
#include "libcore/os/leftovers.h"

namespace quern {
namespace {

constexpr off_t longest_output = off_t{64} << 10;  // that is read back

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    return out;
}

// NAME=value: those given, then what the environment has under other names.
std::vector<char*> environment_with(const std::vector<std::string>& variables) {
    std::vector<char*> out = pointers(variables);
    for (char** own = environ; own && *own; ++own) {
        const std::string_view text = *own;
        const std::string_view name = text.substr(0, text.find('=') + 1);
        if (std::ranges::none_of(variables, [&](const std::string& given) { return given.starts_with(name); })) out.push_back(*own);
    }
    return out;
}

// A shell's pipelines rely on SIGPIPE, which programs of ours ignore.
int spawn_child(pid_t& child, char* const* words, char* const* environment, const posix_spawn_file_actions_t& actions) {
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t pipe, none;
    sigemptyset(&none);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &pipe);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int failure = posix_spawnp(&child, words[0], &actions, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

std::string read_back(int fd) {
    std::string text;
    char buffer[4096];
    const off_t size = lseek(fd, 0, SEEK_END);
    lseek(fd, std::max<off_t>(0, size - longest_output), SEEK_SET);
    for (ssize_t got = 0; (got = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
    return text;
}

}  // namespace

bool on_path(const std::string& program) {
    if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
    const char* path = std::getenv("PATH");
    for (const std::string& folder : split(path ? path : "", ':'))
        if (!folder.empty() && ::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
    return false;
}

ChildResult run_child(const std::vector<std::string>& words, const ChildSettings& settings) {
    std::vector<char*> arguments = pointers(words), environment = environment_with(settings.variables);
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    const Descriptor output{open_spool()};
    const Descriptor errors{settings.apart ? open_spool() : -1};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (!settings.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, settings.folder.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output.fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, settings.apart ? errors.fd : output.fd, STDERR_FILENO);
    pid_t child = 0;
    const int failure = spawn_child(child, arguments.data(), environment.data(), actions);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw io_error("{}: {}", words[0], std::strerror(failure));
    int status = 0;
    {
        const LeftoverChild ended(child);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    }
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .output = read_back(output.fd),
            .errors = settings.apart ? read_back(errors.fd) : std::string()};
}

std::vector<std::string> last_lines(const std::string& output, size_t count) {
    std::vector<std::string> lines;
    for (const std::string& line : split(output, '\n'))
        if (!trim(line).empty()) lines.push_back(printable(line));
    if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    return lines;
}

}  // namespace quern
