// Pass: one rewrite of a graph. The table lists them in the order in which the default pipeline runs them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

// Laws that tests/laws/passes.cpp sweeps over every model: the graph verifies afterwards, a second run returns 0, outputs agree within
// `tolerance` (max|a-b| / max|b|), and a count above 0 exactly when the text form changed.
struct Pass {
    std::string_view name;  // verb_object
    std::string_view doc;
    int (*run)(Graph& graph);  // the number of changes, bodies included
    float tolerance = 0;
    bool by_default = true;  // part of the default pipeline
};

std::span<const Pass* const> all_passes();
const Pass& pass_named(std::string_view name);  // throws Exit::usage with a suggestion

// Runs `passes` in order, again until nothing changes (at most 8 rounds). `done` hears of each pass that ran.
using PassDone = std::function<void(const Pass& pass, const Graph& graph, int changes, double seconds)>;
int run_passes(Graph& graph, std::span<const Pass* const> passes, const PassDone& done = {});
std::vector<const Pass*> default_passes();

}  // namespace quern
