// What every fuzz target checks: a reader may refuse its input, but only with an Error that is not our own bug. QUERN_FUZZ_SAY=1 shows what
// is refused, to see how far inputs come.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "libcore/base/error.h"

namespace quern {

template <class Body>
void expect_only_refusals(const Body& body) {
    try {
        body();
    } catch (const Error& error) {
        static const bool say = std::getenv("QUERN_FUZZ_SAY") != nullptr;
        if (say) std::fprintf(stderr, "refused: %.200s\n", error.message().c_str());
        if (error.exit() != Exit::bug && error.message().find('\n') == std::string::npos) return;
        std::fprintf(stderr, "exit %d: %s\n", static_cast<int>(error.exit()), error.message().c_str());
        std::abort();
    }
}

}  // namespace quern
