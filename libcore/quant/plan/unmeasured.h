// What can be quantized without ranges.
#pragma once

#include <string>

#include "libcore/quant/plan/plan.h"

namespace quern {

// Nodes stay float that read or make a value without an encoding of its own - of training, or of an override with a scale - unless it is
// moved from one that has, or lies inside of an integer unit (`plan.inner`). `path`: of the graph, as overrides name values.
void drop_unknown(const Graph& graph, const std::string& path, const QuantWork& work, GraphPlan& plan);

}  // namespace quern
