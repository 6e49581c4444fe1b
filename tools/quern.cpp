// quern: the driver. `quern TOOL ...` runs the tool, found beside this program or in ../libexec/quern.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "completion_scripts.h"
#include "libcore/base/text.h"
#include "libcore/cli/version.h"
#include "libcore/os/standard_error.h"

namespace {

namespace fs = std::filesystem;

struct Entry {
    const char *name, *summary;
};
constexpr std::array entries{
    Entry{"model-convert", "convert, simplify and fuse models"},
    Entry{"minmax-collect", "collect the ranges of activations over samples"},
    Entry{"quantize", "quantize a model from its ranges"},
    Entry{"check", "what a quantized model is worth, what costs it, and rules that mend it"},
    Entry{"place", "decide which device runs which node"},
    Entry{"codegen", "turn a model into what a target compiles or loads"},
    Entry{"compile", "record ranges, quantize, generate code and run, in one command"},
    Entry{"run", "run a model on samples; time, profile and score it"},
    Entry{"model-info", "show what is inside a model"},
    Entry{"model-diff", "compare two models or two runs"},
    Entry{"backend-test", "try a back end before models run on it"},
};

std::string tool_path(const std::string& name) {
    const fs::path home = fs::read_symlink("/proc/self/exe").parent_path();
    for (const fs::path& folder : {home, home.parent_path() / "libexec" / "quern"})
        if (fs::path path = folder / name; ::access(path.c_str(), X_OK) == 0) return path;
    return {};
}

std::string help() {
    std::string text =
        "usage: quern TOOL [OPTION ...] [MODEL]\nA toolchain that grinds trained networks down to what an NPU runs.\n\nTools:\n";
    for (const Entry& entry : entries) text += fmt::format("  {:<16}{}\n", entry.name, entry.summary);
    return text +
           "\n`quern help TOOL` describes a tool, `quern completion bash` completes its options; exit codes: 0 done, 1 the answer is no, 2 "
           "usage, 3 bad input, 4 unsupported, 5 I/O, 70 "
           "bug\n";
}

std::vector<std::string> tool_names() {
    std::vector<std::string> names;
    names.reserve(std::size(entries));
    for (const Entry& entry : entries) names.emplace_back(entry.name);
    return names;
}

// 0, or 5 where standard output cannot be written.
int print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return 0;
    if (errno == EPIPE) {  // ends as if the signal had not been ignored
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
    quern::write_standard_error(fmt::format("quern: <stdout>: {}\n", std::strerror(errno)));
    return 5;
}

int unknown(const std::string& word) {
    quern::write_standard_error(fmt::format("quern: unknown tool \"{}\"{}\nhint: quern --help lists the tools\n", quern::escape(word),
                                            quern::did_you_mean(word, tool_names())));
    return 2;
}

// Becomes the tool; returns only if that fails.
int become(const std::string& name, std::vector<const char*> arguments) {
    if (std::ranges::none_of(entries, [&](const Entry& entry) { return name == entry.name; })) return unknown(name);
    const std::string path = tool_path(name);
    if (path.empty()) return quern::write_standard_error(fmt::format("quern: {} is not installed\n", name)), 5;
    arguments.insert(arguments.begin(), name.c_str());
    arguments.push_back(nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    ::execv(path.c_str(), const_cast<char**>(arguments.data()));
    quern::write_standard_error(fmt::format("quern: {}: {}\n", path, std::strerror(errno)));
    return 5;
}

int print_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + "\n";
    return print(text);
}

// `completion words [TOOL [OPTION]]`: what may follow, a word a line; of an option that takes a file there is none.
int complete(const std::vector<std::string>& words) {
    const std::vector<std::string> shells{"bash", "zsh"};
    if (words.empty()) {
        std::vector<std::string> all = tool_names();
        all.insert(all.end(), {"help", "completion", "--help", "--version"});
        return print_words(all);
    }
    const std::string& tool = words[0];
    if (tool == "help") return print_words(words.size() == 2 && words[1] == "help" ? tool_names() : std::vector<std::string>());
    if (tool == "completion") return print_words(words.size() == 2 && words[1] == "completion" ? shells : std::vector<std::string>());
    std::vector<const char*> arguments{"--completion-words"};
    if (words.size() > 1) arguments.push_back(words[1].c_str());
    return become(tool, arguments);
}

int completion(const std::vector<std::string>& words) {
    if (!words.empty() && words[0] == "words") return complete({words.begin() + 1, words.end()});
    if (words.size() == 1)
        for (const Script& script : completion_scripts)
            if (script.shell == words[0]) return print(script.text);
    quern::write_standard_error("quern: completion: need the name of a shell, bash or zsh\nhint: source <(quern completion bash)\n");
    return 2;
}

int print_help(const std::vector<std::string>& words) {
    if (words.empty()) return print(help());
    if (words.size() == 1) return become(words[0], {"--help"});
    quern::write_standard_error(fmt::format("quern: help: unexpected argument \"{}\"\nhint: quern help TOOL\n", quern::escape(words[1])));
    return 2;
}

int print_version(const std::vector<std::string>& words) {
    const bool verbose = words.size() == 1 && (words[0] == "-v" || words[0] == "--verbose");
    return print(fmt::format("quern {}\n{}", QUERN_VERSION, verbose ? quern::version_details() : ""));
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // of standard error
    if (argc < 2) {
        quern::write_standard_error(help());
        return 2;
    }
    const std::string word = argv[1];
    const std::vector<std::string> rest(argv + 2, argv + argc);
    if (word == "--help" || word == "-h") return print_help({});
    if (word == "help") return print_help(rest);
    if (word == "completion") return completion(rest);
    if (word == "--version") return print_version(rest);
    if ((word == "-v" || word == "--verbose") && rest == std::vector<std::string>{"--version"}) return print_version({word});
    return become(word, {argv + 2, argv + argc});
}
