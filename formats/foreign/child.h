// Work with foreign code, which may crash, in a process of its own: the program quern-foreign, started anew (not a copy of this process).
// What it wrote comes back as bytes, how it failed as an error.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/graph/graph.h"

namespace quern {

// quern-foreign, found from where libquern is: in libexec/quern beside its folder. Throws Exit::io if it is not there.
std::string foreign_program();

struct ChildTask {
    std::string_view job;              // one of the program's (tools/foreign)
    std::vector<std::string> request;  // words for the job; any bytes but NUL
    const Graph* graph = nullptr;      // for the job
    int seconds = 0;                   // > 0: it is ended after that time
    bool each_report = false;          // the time begins anew with all that it reports
    // Takes what foreign code says as it says it, by QUERN_LOG_..., on the calling thread.
    std::function<void(int level, const std::string& text)> log = {};
    // Takes what the job tells as it tells it.
    std::function<void(const std::string& text)> told = {};
    std::string program = foreign_program();
    std::vector<std::string> environment = {};  // "NAME=value", in place of this process's
};

// Its standard output is this process's standard error, its standard input is empty.
// Errors: what the job throws, with its exit code; Exit::unsupported "crashed in STAGE (signal ...)" or "did not finish STAGE within N s"
// if it dies.
Bytes run_in_child(const ChildTask& task);

// The time limit that an environment variable sets, 60 s if it does not.
int child_seconds(const char* variable);

}  // namespace quern
