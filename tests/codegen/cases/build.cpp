#include "tests/codegen/cases/build.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <span>

#include "libcore/base/text.h"
#include "libcore/os/io.h"
#include "tests/conformance/run_case.h"

namespace codegen_cases {

namespace fs = std::filesystem;

namespace {

// The names that a generated file keeps for itself: functions, constants and types at the beginning of a line, and its arena.
std::set<std::string> own_names(std::string_view text) {
    static const std::regex own("\\n(?:(?:static|KERNEL) [^\\n;{=(]*?\\b(\\w+)(?:\\[|\\(| =|;)|\\} (\\w+)(?:;| =))");
    std::set<std::string> names;
    for (std::cregex_iterator at(text.begin(), text.end(), own), end; at != end; ++at) names.insert((*at)[(*at)[1].matched ? 1 : 2]);
    return names;
}

// The system's headers that a case includes. Those of a batch include the same: what one lacks, no other brings.
std::string system_headers(const fs::path& folder, const Made& made) {
    std::set<std::string> lines;
    for (const char* suffix : {".c", ".h"})
        for (const std::string& line : quern::split(quern::map_input(folder / (made.name + suffix)).text(), '\n'))
            if (line.starts_with("#include <")) lines.insert(line);
    return fmt::format("{}", fmt::join(lines, "\n"));
}

// Sources with the text of many cases each: most of the time of a small file is the start of its compiler. What is a file's own has another
// name in each.
std::string batches(const fs::path& folder, const std::vector<const Made*>& made, const std::string& name) {
    constexpr size_t batch = 40;
    std::string list;
    for (size_t i = 0; i < made.size(); i += batch) {
        std::string text;
        for (const Made* one : std::span(made).subspan(i, std::min(batch, made.size() - i))) {
            const auto file = quern::map_input(folder / (one->name + ".c"));
            const auto names = own_names(file.text());
            for (const std::string& own : names) text += fmt::format("#define {0} {1}_own_{0}\n", own, one->name);
            text += file.text();  // not included: the compiler says less of what is
            for (const std::string& own : names) text += fmt::format("#undef {}\n", own);
        }
        const std::string file = fmt::format("{}{}.c", name, i / batch);
        quern::write_output(folder / file, text);
        list += file + "\n";
    }
    return list;
}

}  // namespace

bool build(const fs::path& folder, const std::vector<Made>& made) {
    std::map<std::pair<bool, std::string>, std::vector<const Made*>> parts;
    for (const Made& one : made)
        if (one.generated()) parts[{one.freestanding, system_headers(folder, one)}].push_back(&one);
    if (parts.empty()) return true;
    std::string lists[2];
    for (const auto& [kind, cases] : parts)
        lists[kind.first] += batches(folder, cases, fmt::format("batch{}_", lists[0].size() + lists[1].size()));
    for (const bool freestanding : {false, true}) {
        if (lists[freestanding].empty()) continue;
        quern::write_output(folder / "list", lists[freestanding]);
        const std::string command = fmt::format("cd '{}' && xargs -P 2 -n 1 cc -std=c99 -O1 -Wall -Wextra -Werror{} -fPIC -c < list",
                                                folder.string(), freestanding ? " -ffreestanding" : "");
        if (std::system(command.c_str()) != 0) return false;
    }
    return std::system(fmt::format("cd '{}' && ls | grep '[.]o$' > list && cc -shared -o cases.so @list -lm", folder.string()).c_str()) ==
           0;
}

void* load(const fs::path& folder, const std::vector<Made>& made) {
    void* library = dlopen((folder / "cases.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library && std::ranges::any_of(made, &Made::generated)) throw quern::bug("{}", dlerror());
    return library;
}

std::string run(const Made& made, void* library) {
    const auto invoke = reinterpret_cast<Invoke>(dlsym(library, (made.name + "_invoke").c_str()));
    const auto result = conformance::in_child([&] {
        conformance::Result out;
        try {
            out.reason = difference(made, invoke);
            out.verdict = out.reason.empty() ? conformance::Verdict::pass : conformance::Verdict::wrong;
        } catch (const quern::Error& error) {
            out.reason = error.message();
        }
        return out;
    });
    return result.verdict == conformance::Verdict::pass ? "" : fmt::format("{}: {}", name_of(result.verdict), result.reason);
}

}  // namespace codegen_cases
