// What the checks of a back end are asked, and what they find.
#pragma once

#include <string>
#include <vector>

#include "libcore/deploy/verified.h"

namespace quern::conformance {

struct Settings {
    std::string path, name, options;  // the library, what messages call it, what create() gets
    uint64_t seed = 1;
    size_t cases = 4;                          // graphs of each operator and mode
    int seconds = 60;                          // that a call may take; 0: no limit
    std::vector<std::string> ops;              // by full name; none: all
    std::string target;                        // a name or path, whose devices that the library runs are compared with it; "": none
    std::vector<std::string> packages, hints;  // op packages by path; how nodes of operators are drawn (random_graphs::add_hint)
    Verification verification;
};

// One finding about a step.
struct Finding {
    std::string check, subject, detail;  // detail: what is wrong, or a remark
    bool ok = true;
    std::string report = {};  // of ThreadSanitizer, if it is its finding
};

}  // namespace quern::conformance
