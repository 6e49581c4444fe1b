// Other programs that a generator calls: found on the PATH, run without a shell, their output read back.
#pragma once

#include <string>
#include <vector>

namespace quern {

bool on_path(const std::string& program);

struct ChildResult {
    int status = 0;      // of exit; 128 + the signal that ended it
    std::string output;  // stdout and stderr
};
// words[0] is looked up on the PATH. Throws Exit::io if it cannot be started.
// `folder`: where it runs; empty: here.
ChildResult run_child(const std::vector<std::string>& words, const std::string& folder = {});

// The last lines of an output that say something, for a message.
std::vector<std::string> last_lines(const std::string& output, size_t count);

}  // namespace quern
