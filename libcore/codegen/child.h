// Other programs that a generator calls: found on the PATH, run without a shell, their output read back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/base/leftovers.h"

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

// A folder that is removed with all it holds.
class TemporaryFolder {
   public:
    TemporaryFolder();  // in $TMPDIR
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

   private:
    std::string path_;
    std::optional<Leftover> leftover_;
};

}  // namespace quern
