// Conformance of a back end: what `quern backend-test` finds out about a library that nobody trusts yet. A check is a list of steps, each
// of which runs in the process of foreign code (tools/foreign), so that a crash or hang is the answer of one step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libcore/conformance/case.h"
#include "libcore/conformance/settings.h"

namespace quern::conformance {

struct Outcome {
    std::vector<Finding> findings;
    std::vector<CaseId> claimed;
    size_t failed = 0;
};

// Makes all checks but those of `skipped`; `found` hears of each finding as it comes.
Outcome run_conformance(const Settings& settings, const std::vector<std::string>& skipped,
                        const std::function<void(const Finding&)>& found);

}  // namespace quern::conformance
