// Joined values that one grid cannot hold: a Concat of boxes up to 600 with scores up to 1 leaves nothing of the scores, a Pad with 500
// nothing of the probabilities that it lies around.
#pragma once

#include <string>
#include <vector>

#include "libcore/quant/plan/plan.h"

namespace quern {

struct UnevenJoin {
    NodeId node;
    // What goes on with the joined value as it is - movement, operators on each number - and then the first that mix its numbers, in
    // program order. All of them have to compute in float for the parts to be kept apart.
    std::vector<NodeId> carriers, mixers;
    std::string text;  // "joins "scores" (0 to 1) into a range of 0 to 599, of whose steps it would keep 0.0 dB"

    bool at_output() const { return mixers.empty(); }  // only carriers lie between its result and outputs of the graph
};

// Joins that are quantized, or whose readers are, and of which an operand would keep less than least_response_db on the grid of the result,
// and keeps that on its own.
std::vector<UnevenJoin> uneven_joins(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight);

}  // namespace quern
