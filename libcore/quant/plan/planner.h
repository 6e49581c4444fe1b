// Decides about the nodes of a graph.
#pragma once

#include "libcore/quant/plan/plan.h"

namespace quern {

// `path` leads to the graph, "" for the main one.
GraphPlan plan_graph(Graph& graph, const std::string& path, const QuantWork& work, const Insight& insight);

}  // namespace quern
