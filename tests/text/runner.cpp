// Runs the text tests: text_tests [--rebase] FILE_OR_FOLDER ... (README beside this file says how a test is written).
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "libcore/base/text.h"
#include "libcore/base/threads.h"

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct Step {
    Lines before, command, out, err;  // `before`: prose and blank lines above the command
    int exit = 0;
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
    for (const std::string& line : lines_of(read_text(path))) {
        const std::string mark = line.substr(0, 2), rest = line.size() > 2 ? line.substr(2) : "";
        const bool in_step = !test.steps.empty() && prose.empty();
        if (line == "needs: models") test.needs_models = true;
        if (mark == "$ ") {
            test.steps.push_back({.before = prose, .command = {rest}});
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

// "[...]" in a wanted line stands for any text.
bool matches(std::string_view want, std::string_view got) {
    const size_t hole = want.find("[...]");
    if (hole == std::string_view::npos) return want == got;
    if (got.substr(0, hole) != want.substr(0, hole)) return false;
    const std::string_view rest = want.substr(hole + 5);
    for (size_t at = hole; at <= got.size(); ++at)
        if (matches(rest, got.substr(at))) return true;
    return false;
}

bool matches(const Lines& want, const Lines& got) {
    return std::equal(want.begin(), want.end(), got.begin(), got.end(), [](const auto& w, const auto& g) { return matches(w, g); });
}

Step run(const Step& step, const fs::path& folder) {
    Step got = step;
    const fs::path out = folder / ".out", err = folder / ".err", script = folder / ".script";
    std::ofstream(script) << quern::join(step.command, "\n") << "\n";
    const std::string shell = fmt::format("cd '{}' && timeout 300 bash -o pipefail .script >.out 2>.err </dev/null", folder.string());
    const int status = std::system(shell.c_str());
    got.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    got.out = lines_of(read_text(out));
    got.err = lines_of(read_text(err));
    return got;
}

std::string difference(const Step& want, const Step& got) {
    std::string text = fmt::format("  $ {}\n", want.command.front());
    const auto show = [&](const char* what, const Lines& w, const Lines& g) {
        if (matches(w, g)) return;
        text += fmt::format("  {}: want\n", what);
        for (const auto& line : w) text += "    " + line + "\n";
        text += fmt::format("  {}: got\n", what);
        for (const auto& line : g) text += "    " + line + "\n";
    };
    show("stdout", want.out, got.out);
    show("stderr", want.err, got.err);
    if (want.exit != got.exit) text += fmt::format("  exit code: want {}, got {}\n", want.exit, got.exit);
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
    Outcome outcome = Outcome::passed;
    for (Step& step : test.steps) {
        const Step got = run(step, folder);
        if (matches(step.out, got.out) && matches(step.err, got.err) && step.exit == got.exit) continue;
        outcome = Outcome::failed;
        report += difference(step, got);
        step = got;
    }
    fs::remove_all(folder);
    if (outcome == Outcome::failed && rebase) {
        std::ofstream(path, std::ios::binary) << print(test);
        report = fmt::format("rebased {}\n", path.string());
        return Outcome::passed;
    }
    if (outcome == Outcome::failed) report = fmt::format("FAIL {}\n{}", path.string(), report);
    return outcome;
}

std::vector<fs::path> find_tests(int argc, char** argv) {
    std::vector<fs::path> tests;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--rebase") continue;
        if (!fs::is_directory(argv[i])) {
            tests.emplace_back(argv[i]);
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(argv[i]))
            if (entry.path().extension() == ".t") tests.push_back(entry.path());
    }
    std::sort(tests.begin(), tests.end());
    return tests;
}

}  // namespace

int main(int argc, char** argv) {
    const bool rebase = std::count(argv + 1, argv + argc, std::string("--rebase")) > 0;
    const std::vector<fs::path> tests = find_tests(argc, argv);
    std::vector<Outcome> outcomes(tests.size());
    std::mutex mutex;
    quern::ThreadPool pool(quern::default_threads());
    pool.run(tests.size(), [&](size_t i) {
        std::string report;
        outcomes[i] = run_test(tests[i], rebase, report);
        const std::scoped_lock lock(mutex);
        fmt::print("{}", report);
    });
    const auto count = [&](Outcome outcome) { return std::count(outcomes.begin(), outcomes.end(), outcome); };
    fmt::print("text tests: {} passed, {} failed, {} skipped\n", count(Outcome::passed), count(Outcome::failed), count(Outcome::skipped));
    return tests.empty() || count(Outcome::failed) > 0 ? 1 : 0;
}
