// quern: the driver. `quern TOOL ...` runs the tool, found beside this program or in ../libexec/quern.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "libcore/base/text.h"

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
           "\n`quern TOOL --help` describes a tool; exit codes: 0 done, 1 the answer is no, 2 usage, 3 bad input, 4 unsupported, 5 I/O, 70 "
           "bug\n";
}

int unknown(const std::string& word) {
    std::vector<std::string> names;
    for (const Entry& entry : entries) names.push_back(entry.name);
    fmt::print(stderr, "quern: unknown tool \"{}\"{}\nhint: quern --help lists the tools\n", quern::escape(word),
               quern::did_you_mean(word, names));
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "{}", help());
        return 2;
    }
    std::string word = argv[1];
    if (word == "--help" || word == "-h" || (word == "help" && argc == 2)) return fmt::print("{}", help()), 0;
    if (word == "--version") return fmt::print("quern {}\n", QUERN_VERSION), 0;
    for (const Entry& entry : entries) {
        if (word != entry.name) continue;
        const std::string path = tool_path(word);
        if (path.empty()) return fmt::print(stderr, "quern: {} is not installed\n", word), 5;
        ::execv(path.c_str(), argv + 1);
        fmt::print(stderr, "quern: {}: {}\n", path, std::strerror(errno));
        return 5;
    }
    return unknown(word);
}
