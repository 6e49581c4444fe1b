// Other programs that are called: found on the PATH, run without a shell, what they say read back.
#pragma once

#include <string>
#include <vector>

namespace quern {

bool on_path(const std::string& program);

struct ChildSettings {
    std::string folder;                  // where it runs; empty: here
    std::vector<std::string> variables;  // NAME=value, in place of those of the environment
    bool apart = false;                  // its standard error is read back by itself
};
struct ChildResult {
    int status = 0;      // of exit; 128 + the signal that ended it
    std::string output;  // stdout and stderr: the last 64 KiB, as is `errors`
    std::string errors;  // stderr, with ChildSettings::apart
};
// words[0] is looked up on the PATH; its standard input is empty. Throws Exit::io if it cannot be started.
ChildResult run_child(const std::vector<std::string>& words, const ChildSettings& settings = {});

// The last lines of an output that say something, for a message.
std::vector<std::string> last_lines(const std::string& output, size_t count);

}  // namespace quern
