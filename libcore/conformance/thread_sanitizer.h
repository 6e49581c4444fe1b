// ThreadSanitizer in a back end that was built with it (-fsanitize=thread): its run time has to be in the process from its start, and what
// it finds ends the process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/os/temporary.h"

namespace quern::conformance {

class ThreadSanitizer {
   public:
    // Of a library whose file asks for the run time (gcc, or clang with -shared-libsan); of others nothing of this does anything.
    explicit ThreadSanitizer(const std::string& library);

    // For the process in which the library is tried: the run time first, and an end at the first report. The user's TSAN_OPTIONS hold, too.
    std::vector<std::string> environment() const;

    // What the process that has ended left, taken away: "" if it reported nothing.
    std::string take_report() const;

   private:
    std::string run_time_;
    std::optional<TemporaryFolder> reports_;
};

// The line that says what and where: "data race net.cpp:336 in convolve".
std::string summary_of(const std::string& report);

}  // namespace quern::conformance
