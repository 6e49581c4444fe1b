#include "tests/codegen/cases/build.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "libcore/base/io.h"
#include "tests/conformance/run_case.h"

namespace codegen_cases {

namespace fs = std::filesystem;

bool build(const fs::path& folder, const std::vector<Made>& made) {
    std::string lists[2];
    for (const Made& one : made)
        if (one.generated()) lists[one.freestanding] += one.name + ".c\n";
    if (lists[0].empty() && lists[1].empty()) return true;
    for (const bool freestanding : {false, true}) {
        if (lists[freestanding].empty()) continue;
        quern::write_output(folder / "list", lists[freestanding]);
        const std::string command = fmt::format("cd '{}' && xargs -P 2 -n 40 cc -std=c99 -O1 -Wall -Wextra -Werror{} -fPIC -c < list",
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
