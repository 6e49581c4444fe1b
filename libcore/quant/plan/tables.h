// Tables that rows are looked up in, among operators on quantized values: moved as codes of activations, or kept as weights.
#pragma once

#include <map>
#include <string>

#include "libcore/quant/plan/plan.h"

namespace quern {

// Lookups whose tables are kept as weights beside float data, though the plan has them move codes of activations: codes of weights have
// fewer bits, the table is the weight of a product, too, or one grid for all of it would be coarser than what is looked up needs. With the
// reason of each.
std::map<NodeId, std::string> coarse_tables(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight);

}  // namespace quern
