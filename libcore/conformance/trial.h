// Trials of a back end: what `quern backend-test` finds out about a library that nobody trusts yet. A check is a list of steps, each of
// which runs in the process of foreign code (tools/foreign), so that a crash or hang is the answer of one step.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/json_fwd.h"
#include "libcore/conformance/trial_case.h"
#include "libcore/deploy/verified.h"

namespace quern::trial {

struct Settings {
    std::string path, name, options;  // the library, what messages call it, what create() gets
    uint64_t seed = 1;
    size_t cases = 4;                          // graphs of each operator and mode
    int seconds = 60;                          // that a call may take; 0: no limit
    std::vector<std::string> ops;              // by full name; none: all
    std::vector<std::string> packages, hints;  // op packages by path; how nodes of operators are drawn (drawn::add_hint)
    Verification verification;
};

// What a step sees.
struct Trial {
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
    std::vector<Step> (*steps)(const Trial& trial);
};

// In the order in which they are made: one builds on those before.
std::span<const Check> all_checks();
std::vector<std::string_view> check_names();

// Where the steps of the claims leave what was claimed: a line each in the remark.
inline constexpr std::string_view claims_check = "claims";
std::vector<CaseId> claims_in(const std::string& remark);

// What a step does at this moment, for the message if the process does not survive it: "case 2 (x: float32[2,3])".
void set_place(std::string place);
std::string current_place();

// One finding about a step.
struct Finding {
    std::string check, subject, detail;  // detail: what is wrong, or a remark
    bool ok = true;
};

struct Outcome {
    std::vector<Finding> findings;
    std::vector<CaseId> claimed;
    size_t failed = 0;
};

// Makes all checks but those of `skipped`; `found` hears of each finding as it comes.
Outcome run_trial(const Settings& settings, const std::vector<std::string>& skipped, const std::function<void(const Finding&)>& found);

// The part of the process that foreign code is in (a job of tools/foreign): makes the steps that the request asks for. It says where it is,
// for the message if it does not survive, and tells what comes of each step.
struct Voice {
    std::function<void(const std::string& place)> at;
    std::function<void(const std::string& text)> tell;
};
void answer_trial(const std::string& request, const Voice& voice);

}  // namespace quern::trial
