#include "libcore/codegen/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"
#include "libcore/os/leftovers.h"

namespace quern {

bool on_path(const std::string& program) {
    if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
    const char* path = std::getenv("PATH");
    for (const std::string& folder : split(path ? path : "", ':'))
        if (!folder.empty() && ::access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
    return false;
}

ChildResult run_child(const std::vector<std::string>& words, const std::string& folder) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int output = open_spool();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    pid_t child = 0;
    const int failure = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ChildResult result;
    int status = 0;
    if (failure == 0) {
        const LeftoverChild ended(child);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    char buffer[4096];
    lseek(output, 0, SEEK_SET);
    for (ssize_t got = 0; (got = read(output, buffer, sizeof buffer)) > 0;) result.output.append(buffer, static_cast<size_t>(got));
    close(output);
    if (failure != 0) throw io_error("{}: {}", words[0], std::strerror(failure));
    return result;
}

std::vector<std::string> last_lines(const std::string& output, size_t count) {
    std::vector<std::string> lines;
    for (const std::string& line : split(output, '\n'))
        if (!trim(line).empty()) lines.push_back(printable(line));
    if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    return lines;
}

}  // namespace quern
