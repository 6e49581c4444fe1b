// What a back end is asked without running anything: of a built-in one in this process, of a foreign one in a child process.
#pragma once

#include "libcore/backend/instance.h"

namespace quern {

struct Question {
    std::string_view name;  // "devices": its table and devices, in JSON; "supports": why not, for each node, in JSON; "compile": a blob
    const Graph* graph = nullptr;
    BlobOptions options = {};
};

// The answer goes to `out`.
void answer(Instance& instance, const Question& question, OutputFile& out);

}  // namespace quern
