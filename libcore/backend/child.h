// Work that may crash, in a child process: what it wrote comes back as bytes, how it failed as an error.
#pragma once

#include <functional>
#include <string>

#include "libcore/base/io.h"

namespace quern {

class ChildWork {
   public:
    virtual ~ChildWork() = default;
    // What the child is about to do, for the message if it does not survive it: "create".
    virtual void stage(std::string_view name) = 0;
    // A message of it that has not been shown yet, which is, if the child does not survive: "" takes it back.
    virtual void remember(std::string_view message) = 0;
    virtual OutputFile& out() = 0;
};

// Runs `body` in a child made by fork: it sees this process as it is and leaves no trace in it. Its standard output is this process's
// standard error. `seconds` > 0: it is ended after that time.
// Errors: what body throws, with its exit code; Exit::unsupported "crashed in STAGE (signal ...)" or "did not finish STAGE within N s" if
// it dies. The caller must hold no lock that body needs.
Bytes run_in_child(int seconds, const std::function<void(ChildWork&)>& body);

// The time limit that an environment variable sets, 60 s if it does not.
int child_seconds(const char* variable);

}  // namespace quern
