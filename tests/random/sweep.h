// Draws graphs one after the other, compares them, says what was covered.
#pragma once

#include <string>
#include <string_view>

#include "libcore/conformance/kinds.h"

namespace quern::random_graphs {

struct SweepOptions {
    size_t graphs = 1050, seconds = 0;  // seconds: as many as fit
    uint64_t seed = 1;
    size_t first = 0;     // number of the first graph
    std::string kind;     // profiles of this name only
    size_t c_every = 10;  // one of that many of each kind goes through the C compiler, too, which takes most of the time; 0: none
};

// False: something differs, or less was covered than is wanted of that many graphs.
bool sweep(const SweepOptions& options);

// Compares a graph that was printed; with those of a folder, which differed once, what was compared is said.
bool judge_text(std::string_view text);
bool judge_folder(const std::string& folder);

}  // namespace quern::random_graphs
