#include "tests/conformance/cases.h"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>

#include "libcore/base/error.h"

extern char** environ;

namespace conformance {
namespace {

namespace fs = std::filesystem;

struct Mark {
    std::string_view text;
    Group group;
};
constexpr std::array marks{
    Mark{"training", Group::training},    Mark{"adagrad", Group::training},     Mark{"test_adam", Group::training},
    Mark{"momentum", Group::training},    Mark{"ai_onnx_ml", Group::ml},        Mark{"flexattention", Group::preview},
    Mark{"image_decoder", Group::image},  Mark{"bernoulli", Group::random},     Mark{"STRING", Group::text},
    Mark{"_string", Group::text},         Mark{"regex_", Group::text},          Mark{"strnormalizer", Group::text},
    Mark{"sequence_", Group::sequence},   Mark{"_sequence", Group::sequence},   Mark{"optional", Group::sequence},
    Mark{"test_if_opt", Group::sequence}, Mark{"test_if_seq", Group::sequence}, Mark{"identity_opt", Group::sequence},
    Mark{"loop13_seq", Group::sequence},  Mark{"loop16_seq", Group::sequence},
};
// Names that carry a mark and mean something else.
constexpr std::array<std::string_view, 2> plain{"reversesequence", "sequence_lens"};

void unpack(const fs::path& archive, const fs::path& into) {
    fs::create_directories(into);
    const std::string from = archive, to = into;
    std::array<const char*, 6> command{"tar", "-xJf", from.c_str(), "-C", to.c_str(), nullptr};
    pid_t child = 0;
    int status = 0;
    if (posix_spawnp(&child, "tar", nullptr, nullptr, const_cast<char**>(command.data()), environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
        throw quern::io_error("{}: tar cannot unpack it", from);
}

}  // namespace

std::string_view name_of(Group group) {
    constexpr std::array<std::string_view, group_count> names{"numeric", "training", "string", "sequence/optional",
                                                              "ml",      "preview",  "image",  "random"};
    return names[static_cast<size_t>(group)];
}

Group group_of(std::string_view name) {
    if (std::ranges::any_of(plain, [&](std::string_view text) { return name.find(text) != name.npos; })) return Group::numeric;
    for (const Mark& mark : marks)
        if (name.find(mark.text) != name.npos) return mark.group;
    return Group::numeric;
}

std::vector<Case> cases_in(const fs::path& folder, const std::string& source) {
    std::vector<Case> out;
    if (!fs::is_directory(folder)) return out;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!fs::exists(entry.path() / "model.onnx")) continue;
        const std::string name = entry.path().filename();
        out.push_back({name, source, entry.path(), group_of(name)});
    }
    std::ranges::sort(out, {}, &Case::name);
    return out;
}

std::vector<Case> debian_cases() {
    std::vector<Case> out;
    for (const char* part : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
        auto cases = cases_in(fs::path("/usr/share/libonnx-testdata/data") / part, "debian");
        out.insert(out.end(), cases.begin(), cases.end());
    }
    return out;
}

std::vector<Case> onnx_cases(const fs::path& models, const fs::path& cache) {
    const fs::path archive = models / "onnx-node-tests" / "onnx_node_tests_public.tar.xz";
    const fs::path folder = cache / "node";
    if (!fs::exists(folder)) {
        if (!fs::exists(archive)) return {};
        const fs::path partial = cache.string() + ".partial";
        fs::remove_all(partial);
        unpack(archive, partial);
        fs::remove_all(cache);
        fs::rename(partial, cache);
    }
    return cases_in(folder, "onnx");
}

}  // namespace conformance
