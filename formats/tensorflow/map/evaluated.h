// Numbers that nodes compute of constants alone, such as an order of dims put together of ranges, found when somebody asks for them.
#pragma once

#include <optional>

#include "libcore/graph/graph.h"

namespace quern::tensorflow_format {

// nullopt: it takes more than constants and a few small nodes.
std::optional<Tensor> evaluated(const Graph& graph, ValueId id);

}  // namespace quern::tensorflow_format
