// Joined values that one grid cannot hold: a Concat of boxes up to 600 with scores up to 1 leaves nothing of the scores.
#pragma once

#include <string>
#include <vector>

#include "libcore/quant/plan/plan.h"

namespace quern {

struct UnevenJoin {
    NodeId node;
    bool at_output;    // only data movement lies between its result and an output of the graph
    std::string text;  // "joins "scores" (0 to 1) into a range of 0 to 599, of whose steps it would keep 0.0 dB"
};

// Of nodes that a type quantizes wholly and that no rule names: those of which an operand would keep less than least_response_db on the
// grid of the result, and keeps that on its own.
std::vector<UnevenJoin> uneven_joins(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight);

}  // namespace quern
