// The table of passes (passes.h), and those that run by default.
#include <chrono>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/passes/passes.h"

namespace quern {

std::span<const Pass* const> all_passes() { return pass_table; }

const Pass& pass_named(std::string_view name) {
    std::vector<std::string> names;
    for (const Pass* pass : all_passes()) {
        if (pass->name == name) return *pass;
        names.emplace_back(pass->name);
    }
    throw usage_error("unknown pass \"{}\"{}", escape(name), did_you_mean(name, names))
        .with_hint("quern model-convert --list-passes names them");
}

std::vector<const Pass*> default_passes() {
    std::vector<const Pass*> passes;
    for (const Pass* pass : all_passes())
        if (pass->by_default) passes.push_back(pass);
    return passes;
}

int run_passes(Graph& graph, std::span<const Pass* const> passes, const PassDone& done) {
    constexpr int rounds = 8;
    int total = 0;
    for (int round = 0; round < rounds; ++round) {
        int changes = 0;
        for (const Pass* pass : passes) {
            const auto start = std::chrono::steady_clock::now();
            const int made = pass->run(graph);
            if (made > 0) infer_types(graph);
            const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (done) done(*pass, graph, made, seconds);
            changes += made;
        }
        total += changes;
        if (changes == 0) break;
    }
    return total;
}

}  // namespace quern
