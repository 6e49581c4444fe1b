// The generated page of what is not supported.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/run_case.h"

namespace conformance {

struct Outcome {
    Case test;
    Result result;
};

// Markdown: the counts and every case that does not pass, with its operators and the reason, sorted.
std::string unsupported_page(const std::vector<Outcome>& outcomes);

}  // namespace conformance
