// A check of a back end: a list of steps.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "include/quern/backend.h"
#include "libcore/conformance/case.h"
#include "libcore/conformance/settings.h"

namespace quern::conformance {

// What a step sees.
struct Context {
    const Settings& settings;
    const quern_backend_api& table;
    const std::vector<CaseId>& claimed;  // at least one node of each
};

struct Step {
    std::string subject;               // "Relu float", "" if the check has but one step
    std::function<std::string()> run;  // gives a remark; throws Error saying what is wrong
};

struct Check {
    std::string_view name, doc;
    bool needs_claims;  // nothing can be done without a node that the back end takes
    std::vector<Step> (*steps)(const Context& context);
};

// In the order in which they are made: one builds on those before.
std::span<const Check> all_checks();
std::vector<std::string_view> check_names();

// Where the steps of the claims leave what was claimed: a line each in the remark.
inline constexpr std::string_view claims_check = "claims";
std::vector<CaseId> claims_in(const std::string& remark);
inline constexpr std::string_view target_check = "target";  // with Settings::target alone
inline constexpr std::string_view memory_check = "memory";  // in a process without caches of threads

// What a step does at this moment, for the message if the process does not survive it: "case 2 (x: float32[2,3])".
void set_place(std::string place);
std::string current_place();

}  // namespace quern::conformance
