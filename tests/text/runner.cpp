// Runs the text tests: text_tests [--rebase] [--filter REGEX] FILE_OR_FOLDER ... (README beside this file says how a test is written).
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/os/threads.h"
#include "tests/text/difference.h"

namespace {

namespace fs = std::filesystem;

using text_tests::Lines;
using text_tests::matches;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZERS
#endif
#endif
#ifdef UNDER_SANITIZERS
constexpr int longest_seconds = 1200;  // of a command
#else
constexpr int longest_seconds = 300;
#endif

struct Step {
    Lines before, command, out, err;  // `before`: prose and blank lines above the command
    int exit = 0;
    size_t line = 0;  // of the command in its file, from 1
};

struct Test {
    std::vector<Step> steps;
    Lines after;
    bool needs_models = false;
};

enum class Outcome { passed, failed, skipped };

Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string read_text(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

Test parse(const fs::path& path) {
    Test test;
    Lines prose;
    size_t number = 0;
    for (const std::string& line : lines_of(read_text(path))) {
        ++number;
        const std::string mark = line.substr(0, 2), rest = line.size() > 2 ? line.substr(2) : "";
        const bool in_step = !test.steps.empty() && prose.empty();
        if (line == "needs: models") test.needs_models = true;
        if (mark == "$ ") {
            test.steps.push_back({.before = prose, .command = {rest}, .line = number});
            prose.clear();
        } else if (in_step && (mark == "+ " || line == "+")) {
            test.steps.back().command.push_back(rest);
        } else if (in_step && (mark == "> " || line == ">")) {
            test.steps.back().out.push_back(rest);
        } else if (in_step && (mark == "! " || line == "!")) {
            test.steps.back().err.push_back(rest);
        } else if (in_step && mark == "? ") {
            test.steps.back().exit = static_cast<int>(quern::parse_int(rest).value_or(-1));
        } else {
            prose.push_back(line);
        }
    }
    test.after = prose;
    return test;
}

std::string print(const Test& test) {
    std::string text;
    const auto put = [&](const char* mark, const Lines& lines) {
        for (const std::string& line : lines) text += (line.empty() && *mark ? std::string(mark, 1) : mark + line) + "\n";
    };
    for (const Step& step : test.steps) {
        put("", step.before);
        put("$ ", {step.command.front()});
        put("+ ", {step.command.begin() + 1, step.command.end()});
        put("> ", step.out);
        put("! ", step.err);
        if (step.exit != 0) text += fmt::format("? {}\n", step.exit);
    }
    put("", test.after);
    return text;
}

Step run(const Step& step, const fs::path& folder) {
    Step got = step;
    const fs::path out = folder / ".out", err = folder / ".err", script = folder / ".script";
    std::ofstream(script) << quern::join(step.command, "\n") << "\n";
    const std::string shell =
        fmt::format("cd '{}' && timeout {} bash -o pipefail .script >.out 2>.err </dev/null", folder.string(), longest_seconds);
    const int status = std::system(shell.c_str());
    got.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    got.out = lines_of(read_text(out));
    got.err = lines_of(read_text(err));
    return got;
}

bool same(const Step& want, const Step& got) { return matches(want.out, got.out) && matches(want.err, got.err) && want.exit == got.exit; }

std::string report_of(const fs::path& path, const Step& want, const Step& got, size_t not_run) {
    std::string text = fmt::format("FAIL {}:{}: $ {}\n", path.string(), want.line, want.command.front());
    const auto show = [&](const char* what, const Lines& w, const Lines& g) {
        if (!matches(w, g)) text += fmt::format("  {}: - wanted, + got\n{}", what, text_tests::difference(w, g, "    "));
    };
    show("stdout", want.out, got.out);
    show("stderr", want.err, got.err);
    if (want.exit != got.exit) text += fmt::format("  exit code: wanted {}, got {}\n", want.exit, got.exit);
    if (not_run > 0) text += fmt::format("  {} command{} after it not run\n", not_run, not_run == 1 ? "" : "s");
    return text;
}

Outcome run_test(const fs::path& path, bool rebase, std::string& report) {
    Test test = parse(path);
    if (test.needs_models && !std::getenv("MODELS")) {
        const bool required = std::getenv("CI") && std::string(std::getenv("CI")) == "true";
        report = fmt::format("{} {}: the folder of public models is not there\n", required ? "FAIL" : "skip", path.string());
        return required ? Outcome::failed : Outcome::skipped;
    }
    std::string folder = (fs::temp_directory_path() / "quern-text-XXXXXX").string();
    if (!::mkdtemp(folder.data())) throw std::runtime_error("cannot make a temporary folder");
    bool failed = false;
    for (size_t i = 0; i < test.steps.size() && !(failed && !rebase); ++i) {
        const Step got = run(test.steps[i], folder);
        if (same(test.steps[i], got)) continue;
        failed = true;
        report = report_of(path, test.steps[i], got, test.steps.size() - i - 1);
        test.steps[i] = got;
    }
    fs::remove_all(folder);
    if (failed && rebase) {
        std::ofstream(path, std::ios::binary) << print(test);
        report = fmt::format("rebased {}\n", path.string());
        return Outcome::passed;
    }
    return failed ? Outcome::failed : Outcome::passed;
}

struct Arguments {
    std::vector<fs::path> paths;
    std::optional<std::regex> filter;
    bool rebase = false;
};

// Throws std::runtime_error.
Arguments parse_arguments(int argc, char** argv) {
    Arguments out;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--rebase") {
            out.rebase = true;
        } else if (argument == "--filter") {
            if (++i == argc) throw std::runtime_error("--filter needs a regular expression");
            out.filter.emplace(argv[i]);
        } else if (argument.starts_with("-") || !fs::exists(argument)) {
            throw std::runtime_error(fmt::format("{}: no such file, folder or option", argument));
        } else {
            out.paths.emplace_back(argument);
        }
    }
    return out;
}

// Files that are named, and those of folders; of all these the ones whose path the filter finds something in.
std::vector<fs::path> find_tests(const Arguments& arguments) {
    std::vector<fs::path> tests;
    for (const fs::path& path : arguments.paths) {
        if (!fs::is_directory(path)) {
            tests.push_back(path);
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(path))
            if (entry.path().extension() == ".t") tests.push_back(entry.path());
    }
    if (arguments.filter) std::erase_if(tests, [&](const fs::path& path) { return !std::regex_search(path.string(), *arguments.filter); });
    std::sort(tests.begin(), tests.end());
    return tests;
}

int run_all(const Arguments& arguments) {
    const std::vector<fs::path> tests = find_tests(arguments);
    std::vector<Outcome> outcomes(tests.size());
    std::mutex mutex;
    quern::ThreadPool pool(quern::default_threads());
    pool.run(tests.size(), [&](size_t i) {
        std::string report;
        outcomes[i] = run_test(tests[i], arguments.rebase, report);
        const std::scoped_lock lock(mutex);
        fmt::print("{}", report);
    });
    const auto count = [&](Outcome outcome) { return std::count(outcomes.begin(), outcomes.end(), outcome); };
    fmt::print("text tests: {} passed, {} failed, {} skipped\n", count(Outcome::passed), count(Outcome::failed), count(Outcome::skipped));
    return tests.empty() || count(Outcome::failed) > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run_all(parse_arguments(argc, argv));
    } catch (const std::exception& error) {  // std::regex_error, too
        fmt::print(stderr, "text_tests: {}\n", error.what());
        return 2;
    }
}
