// What the host offers to foreign code, as backend.h has it.
#pragma once

#include "include/quern/backend.h"
#include "libcore/os/io.h"

namespace quern {

// `self` is for `log`.
quern_host c_host(void* self, void (*log)(const quern_host* host, int32_t level, const char* text));

// Writes to `file`, which must outlive it.
quern_sink c_sink(OutputFile& file);

}  // namespace quern
