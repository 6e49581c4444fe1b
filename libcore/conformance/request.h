// What goes between the tool and the process in which a back end is tried, as JSON.
#pragma once

#include <optional>

#include "libcore/conformance/case.h"
#include "libcore/conformance/settings.h"

namespace quern::conformance {

// The steps of a check from number `first` on.
struct Request {
    Settings settings;
    std::string check;
    size_t first = 0;
    std::vector<CaseId> claimed;
};
std::string to_text(const Request& request);
Request request_in(const std::string& text);

// A step begins, or what came of it.
struct Report {
    size_t number = 0;
    std::string subject;
    std::optional<Finding> finding;
};
std::string to_text(const Report& report);
Report report_in(const std::string& text);

}  // namespace quern::conformance
