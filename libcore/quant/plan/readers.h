// Results that are left real for those who read them.
#pragma once

#include "libcore/quant/plan/plan.h"

namespace quern {

// Arithmetic whose results operators read that stay float, alone or beside quantized ones, which get a rounded copy, stays float: so the
// sums that a residual network carries on from one normalization to the next are not rounded again and again. Products of matrices whose
// results, a bias added, only such operators read stay quantized and are not rounded (NodePlan::real_result), where the recipe has that
// form, no override gives the result an encoding and no rule a type.
void keep_real_results(const Graph& graph, const std::string& path, const QuantWork& work, GraphPlan& plan);

}  // namespace quern
