// What a helper process gives up at its start, before it touches a file or a library of strangers: for programs of quern's own, never for a
// process that merely loads libquern. SECURITY.md says what that is worth.
#pragma once

#include <cstdint>

namespace quern {

enum class Confined : uint8_t {
    reader,    // reads files that it opens and answers on sockets that it has; of the system's calls nothing else is left
    code,      // runs code that computes: no network, no programs and no processes of its own
    programs,  // runs drivers and vendors' compilers: no network, but programs, devices and sockets of this machine
};

// No new privileges, no core file, no look into it by others, `memory` bytes at most (and what libraries take beside), and, where the
// kernel has seccomp, a filter of its calls: those that are denied fail with EPERM. QUERN_BACKEND_NETWORK=on leaves `programs` the network.
// Under a sanitizer (sanitized.h), which wants more of the system, only the first two.
void confine(Confined what, uint64_t memory);

}  // namespace quern
