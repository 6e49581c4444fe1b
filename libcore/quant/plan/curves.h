// Curves: operators that together are a function of one number - a Gelu or Swish spelled out - and what rounding inside of them leaves of
// it.
#pragma once

#include <map>
#include <string>

#include "libcore/quant/plan/plan.h"

namespace quern {

// Operators of such functions that stay float because rounding a value inside leaves less than least_response_db of what varies in the
// results: cubes of numbers with outliers, of which only those near zero count afterwards. With the reason of each.
std::map<NodeId, std::string> lost_in_curves(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight);

}  // namespace quern
