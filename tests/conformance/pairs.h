// Claims of the table that no case shows: a passing case of one node runs again with its numbers in another element type.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/conformance/page.h"

namespace conformance {

struct PairReport {
    std::set<std::string> shown;        // "Conv float16": by a case as it stands or converted
    std::vector<std::string> problems;  // pairs that are claimed, have a case to convert, and do not run or give other numbers
    std::set<std::string> without_case;
};

PairReport check_pairs(const std::vector<Outcome>& outcomes);

}  // namespace conformance
