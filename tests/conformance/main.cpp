// Runs the ONNX backend cases and says what does not pass.
//
//     conformance [--filter TEXT] [--reference | --fast] [--write-page FILE] [--check-page FILE]
//     conformance --folder CASES [--steps N]        other cases of the same layout; integers may be N apart
//
// Exit: 0 if at least 92 % of the numeric inference cases pass, none gives a wrong result or crashes, and every case whose operators
// and element types are all in the table passes; else 1. Cases: $QUERN_MODELS/onnx-node-tests and Debian's libonnx-testdata.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/os/io.h"
#include "tests/conformance/pairs.h"

namespace {

using namespace conformance;
namespace fs = std::filesystem;

constexpr double wanted_share = 0.92;

struct Options {
    std::string filter, write_page, check_page, folder;
    int64_t steps = 0;
    bool reference = true, fast = true;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        const auto value = [&] { return ++i < argc ? std::string(argv[i]) : throw quern::usage_error("{} needs a value", arg); };
        if (arg == "--filter")
            options.filter = value();
        else if (arg == "--write-page")
            options.write_page = value();
        else if (arg == "--check-page")
            options.check_page = value();
        else if (arg == "--folder")
            options.folder = value();
        else if (arg == "--steps")
            options.steps = quern::parse_int(value()).value_or(0);
        else if (arg == "--reference")
            options.fast = false;
        else if (arg == "--fast")
            options.reference = false;
        else
            throw quern::usage_error("unknown argument \"{}\"", arg);
    }
    return options;
}

// Clears `complete` if a source is absent.
std::vector<Case> all_cases(const fs::path& self, bool& complete) {
    const char* models = std::getenv("QUERN_MODELS");
    auto cases = onnx_cases(models ? fs::path(models) : fs::path(QUERN_DEFAULT_MODELS), self.parent_path() / "onnx-node-cases");
    const bool no_onnx = cases.empty();
    const auto debian = debian_cases();
    cases.insert(cases.end(), debian.begin(), debian.end());
    for (const auto& [absent, what] :
         {std::pair(no_onnx, "the models folder ($QUERN_MODELS)"), std::pair(debian.empty(), "Debian's libonnx-testdata")}) {
        if (!absent) continue;
        complete = false;
        fmt::print("skipped: no cases in {}\n", what);
        if (const char* ci = std::getenv("CI"); ci && std::string_view(ci) == "true") throw quern::io_error("cases are absent in CI");
    }
    return cases;
}

// The worse of the reference run and the fast run.
Result run_both(const Case& test, const Options& options) {
    Result result;
    if (options.reference) {
        result = run_case(test, true, options.steps);
        const bool good = result.verdict == Verdict::pass || result.verdict == Verdict::excused;
        if (!good || !options.fast) return result;
    }
    Result fast = run_case(test, false, options.steps);
    if (fast.verdict != Verdict::pass && fast.verdict != Verdict::excused && options.reference) fast.reason = "fast: " + fast.reason;
    return fast;
}

struct Count {
    size_t total = 0, passed = 0, unsupported = 0, excused = 0, wrong = 0;
};

// Every claimed pair of operator and element type that has a case must run.
bool judge_pairs(const std::vector<Outcome>& outcomes) {
    const PairReport report = check_pairs(outcomes);
    for (const std::string& problem : report.problems) fmt::print("claimed, does not run: {}\n", problem);
    fmt::print("{} (operator, element type) pairs of the table run here, {} do not, {} have no case of one node\n", report.shown.size(),
               report.problems.size(), report.without_case.size());
    return report.problems.empty();
}

bool judge(const std::vector<Outcome>& outcomes) {
    std::map<std::pair<std::string, Group>, Count> counts;
    size_t broken_claims = 0, wrong = 0;
    for (const auto& [test, result] : outcomes) {
        Count& count = counts[{test.source, test.group}];
        ++count.total;
        count.passed += result.verdict == Verdict::pass;
        count.unsupported += result.verdict == Verdict::unsupported;
        count.excused += result.verdict == Verdict::excused;
        const bool bad = result.verdict == Verdict::wrong || result.verdict == Verdict::crash;
        count.wrong += bad;
        wrong += bad && test.group == Group::numeric;
        broken_claims += result.verdict == Verdict::unsupported && result.claimed && test.group == Group::numeric;
    }
    bool enough = true;
    fmt::print("{:8} {:18} {:>6} {:>6} {:>12} {:>8} {:>6}\n", "cases", "group", "total", "pass", "unsupported", "excused", "wrong");
    for (const auto& [key, count] : counts) {
        fmt::print("{:8} {:18} {:6} {:6} {:12} {:8} {:6}", key.first, name_of(key.second), count.total, count.passed, count.unsupported,
                   count.excused, count.wrong);
        const double share = static_cast<double>(count.passed) / static_cast<double>(count.total);
        if (key.second == Group::numeric) {
            fmt::print("   {:.2f} % pass", 100 * share);
            enough &= share >= wanted_share;
        }
        fmt::print("\n");
    }
    if (!enough) fmt::print("fewer than {:.0f} % of the numeric cases pass\n", 100 * wanted_share);
    if (wrong) fmt::print("{} numeric cases give a wrong result\n", wrong);
    if (broken_claims) fmt::print("{} cases have only operators and element types of the table, and do not run\n", broken_claims);
    return enough && wrong == 0 && broken_claims == 0;
}

int run(int argc, char** argv) {
    const Options options = parse(argc, argv);
    std::vector<Outcome> outcomes;
    bool complete = true;
    const auto cases = options.folder.empty() ? all_cases(fs::canonical("/proc/self/exe"), complete) : cases_in(options.folder, "folder");
    for (const Case& test : cases) {
        if (test.name.find(options.filter) == test.name.npos) continue;
        outcomes.push_back({test, run_both(test, options)});
        const Result& result = outcomes.back().result;
        if (result.verdict != Verdict::pass)
            fmt::print("{} {}: {}: {}{}\n", test.source, test.name, name_of(result.verdict), result.reason,
                       result.claimed ? " [claimed]" : "");
    }
    if (outcomes.empty()) return 0;
    bool good = judge(outcomes);
    if (options.reference) good &= judge_pairs(outcomes);
    const std::string page = unsupported_page(outcomes);
    if (!options.write_page.empty()) quern::write_output(options.write_page, page);
    if (complete && !options.check_page.empty() && quern::map_input(options.check_page).text() != page) {
        fmt::print("{} is not current: write it with --write-page\n", options.check_page);
        good = false;
    }
    return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const quern::Error& error) {
        std::cerr << "conformance: " << error.message() << "\n";
        return static_cast<int>(error.exit());
    }
}
