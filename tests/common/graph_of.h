// Graphs of tests in the text form, types as far as they cannot be inferred (tensor<*xf32>).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "libcore/graph/op.h"

namespace quern {

// Inferred and verified. Inputs of the names in `constants` are these constants.
Graph graph_of(std::string_view text, const std::map<std::string, Tensor>& constants = {});

}  // namespace quern
