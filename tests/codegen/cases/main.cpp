// The generated C of operators beside the reference, on all numeric node cases of ONNX: each case is generated, compiled with the
// strictest flags and run on its inputs in a process of its own. What is refused must stand in the list of refusals, and the other way
// round.
//
//     codegen_cases [--filter TEXT] [--keep FOLDER] [--rebase] [--refused FILE] [--models FOLDER]
//
// With --models those of a folder instead, with random inputs; integer models must give the same codes.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "libcore/base/text.h"
#include "libcore/os/io.h"
#include "tests/codegen/cases/build.h"
#include "tests/conformance/run_case.h"

namespace {

namespace fs = std::filesystem;
using namespace codegen_cases;

struct Options {
    std::string filter, refused, models;
    fs::path folder = fs::temp_directory_path() / fmt::format("quern-cases-{}", getpid());
    bool keep = false, rebase = false;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--rebase")
            options.rebase = true;
        else if (word == "--filter" && i + 1 < argc)
            options.filter = argv[++i];
        else if (word == "--refused" && i + 1 < argc)
            options.refused = argv[++i];
        else if (word == "--models" && i + 1 < argc)
            options.models = argv[++i];
        else if (word == "--keep" && i + 1 < argc)
            options.folder = argv[++i], options.keep = true;
        else
            throw quern::usage_error("unknown argument \"{}\"", word);
    }
    return options;
}

std::vector<conformance::Case> all_cases(const std::string& filter) {
    const char* models = std::getenv("QUERN_MODELS");
    const fs::path cache = fs::canonical("/proc/self/exe").parent_path() / "onnx-node-cases";
    auto cases = conformance::onnx_cases(models ? fs::path(models) : fs::path(QUERN_DEFAULT_MODELS), cache);
    std::set<std::string> names;
    for (const auto& test : cases) names.insert(test.name);
    for (const auto& test : conformance::debian_cases())  // of an older standard: those that the newer one has no more
        if (names.insert(test.name).second) cases.push_back(test);
    std::erase_if(cases, [&](const conformance::Case& test) {
        return test.group != conformance::Group::numeric || test.name.find(filter) == test.name.npos;
    });
    return cases;
}

// The lines of `text` that `list` has not; said, with `what` in front.
size_t say_missing(const std::string& text, const std::string& list, std::string_view what) {
    size_t missing = 0;
    for (const std::string& line : quern::split(text, '\n')) {
        if (line.empty() || ("\n" + list).find("\n" + line + "\n") != std::string::npos) continue;
        fmt::print("{}: {}\n", what, line);
        ++missing;
    }
    return missing;
}

// Are the refusals those of the list? Without all cases (`complete`) some of it are not met.
bool judge_refusals(const std::vector<Made>& made, const Options& options, bool complete) {
    std::map<std::string, std::vector<std::string>> refused;
    for (const Made& one : made)
        for (const std::string& line : one.refused) refused[line].push_back(one.test.name);
    std::string text;
    for (const auto& [line, names] : refused) {
        fmt::print("refused {} times: {} ({})\n", names.size(), line, names.front());
        text += line + "\n";
    }
    if (options.refused.empty()) return true;
    if (options.rebase && complete) quern::write_output(options.refused, text);
    const std::string wanted(quern::map_input(options.refused).text());
    const size_t strangers = say_missing(text, wanted, "not in the list of refusals");
    return strangers + (complete ? say_missing(wanted, text, "in the list of refusals, but generated") : 0) == 0;
}

std::vector<Made> make_all(const Options& options) {
    std::vector<Made> made;
    const auto name = [&] { return fmt::format("c{}", made.size()); };
    if (options.models.empty()) {
        for (const auto& test : all_cases(options.filter)) made.push_back(make(test, name(), options.folder));
        return made;
    }
    std::set<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(options.models))
        if (entry.path().string().find(options.filter) != std::string::npos) paths.insert(entry.path());
    for (const fs::path& path : paths) made.push_back(make_model(path, name(), options.folder));
    return made;
}

// Are there all that the list of refusals is of?
bool is_complete(const std::vector<Made>& made, const Options& options) {
    const auto has = [&](std::string_view source) {
        return std::ranges::any_of(made, [&](const Made& one) { return one.test.source == source; });
    };
    return options.filter.empty() && (has("file") || (has("onnx") && has("debian")));
}

int sweep(const Options& options) {
    fs::create_directories(options.folder);
    const std::vector<Made> made = make_all(options);
    if (made.empty()) {
        fmt::print("skipped: there are no node cases\n");
        return std::getenv("CI") ? 1 : 77;
    }
    const bool good = judge_refusals(made, options, is_complete(made, options));
    if (!build(options.folder, made)) {
        fmt::print("not all compile\n");
        return 1;
    }
    void* library = load(options.folder, made);
    size_t equal = 0, refused = 0, failed = 0, wrong = 0;
    for (const Made& one : made) {
        const std::string trouble = one.generated() ? run(one, library) : "";
        refused += !one.refused.empty();
        failed += !one.failure.empty();
        equal += one.generated() && trouble.empty();
        wrong += !trouble.empty();
        if (!trouble.empty()) fmt::print("{} {} ({}): {}\n", one.test.source, one.test.name, one.name, trouble);
        if (!one.failure.empty()) fmt::print("fails: {} {}: {}\n", one.test.source, one.test.name, one.failure);
    }
    fmt::print("{} cases: {} equal, {} refused, {} fail, {} wrong\n", made.size(), equal, refused, failed, wrong);
    if (!options.keep) fs::remove_all(options.folder);
    return good && wrong == 0 && failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return sweep(parse(argc, argv));
    } catch (const quern::Error& error) {
        std::cerr << "codegen_cases: " << error.message() << "\n";
        return static_cast<int>(error.exit());
    }
}
