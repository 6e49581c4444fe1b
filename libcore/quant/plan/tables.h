// Tables that rows are looked up in: codes of weights, or moved as codes of activations among operators on quantized values.
#pragma once

#include <map>
#include <string>

#include "libcore/quant/plan/plan.h"

namespace quern {

// Why the weights of a node that has some stay float beside float data; "" if the type takes them. Tables of codes are where the file's
// runtime looks them up.
std::string weights_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const QuantWork& work);

// Lookups whose tables are kept as weights beside float data, though the plan has them move codes of activations: codes of weights have
// fewer bits, the table is the weight of a product, too, or one grid for all of it would be coarser than what is looked up needs. With the
// reason of each.
std::map<NodeId, std::string> coarse_tables(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight);

}  // namespace quern
