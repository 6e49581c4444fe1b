#include "libcore/deploy/ask_libraries.h"

#include "libcore/backend/builtin.h"
#include "libcore/backend/client.h"
#include "libcore/exec/meaning.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/os/foreign_code.h"

namespace quern {
namespace {

// As runs have it: the profile that the graph names is the one that counts.
CompileOptions own_options(const Graph& graph) {
    CompileOptions options{.mode = own_mode(graph)};
    if (options.mode != Mode::floating) options.profile = own_profile(graph);
    return options;
}

place::LibraryAnswers answers_of(const std::string& library, const Graph& graph) {
    const auto refusals = Backend::open(library)->refusals(graph, own_options(graph));
    place::LibraryAnswers answers{&graph, {}};
    for (size_t i = 0; i < refusals.size(); ++i)
        if (refusals[i]) answers.refusals.emplace(graph.order()[i], *refusals[i]);
    return answers;
}

}  // namespace

std::vector<std::string> ask_libraries(place::Target& target, const Graph& graph) {
    std::vector<std::string> failures;
    if (!foreign_code_allowed()) return failures;
    for (place::Device& device : target.devices) {
        if (device.backend.empty() || builtin_backend(device.backend) || !Backend::installed(device.backend)) continue;
        try {
            device.library = std::make_shared<const place::LibraryAnswers>(answers_of(device.backend, graph));
        } catch (const Error& error) {
            if (error.exit() == Exit::bug) throw;
            failures.push_back(fmt::format("{} is not asked, the target's file alone decides: {}", device.name, error.message()));
        }
    }
    return failures;
}

}  // namespace quern
