// Products on few bits whose squares or sums a logarithm takes, as of a spectrum: what is small there keeps little of its relative
// precision, which no estimate of one value's rounding tells.
#pragma once

#include <string>
#include <vector>

#include "libcore/quant/plan/plan.h"

namespace quern {

struct Amplified {
    NodeId logarithm;              // stays float
    std::vector<NodeId> products;  // on codes of 8 bits and fewer, from which it is computed through squares, sums and roots
};

std::vector<Amplified> amplified_products(const Graph& graph, const GraphPlan& plan);

// Where the destination's runtime takes weights that are codes beside float data (Recipe::edges_apart), and rounding its argument to the
// type's grid would cost the logarithm what varies in it: these products are asked to keep only their weights as codes
// (NodePlan::only_weights).
void keep_amplified(const Graph& graph, const QuantWork& work, GraphPlan& plan, const Insight& insight);

// Sentences about the others, one a logarithm. `path` leads to the graph.
std::vector<std::string> tell_amplified(const Graph& graph, const std::string& path, const GraphPlan& plan);

}  // namespace quern
