// One node on concrete tensors, without a Program: what constant folding and the tests of rows need.
#pragma once

#include <span>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// The outputs of `node` for `inputs` (undefined tensors: absent). Nodes with bodies and operators without eval throw
// Exit::unsupported; other errors are those of the row.
std::vector<Tensor> eval_node(const Node& node, std::span<const Tensor> inputs);

}  // namespace quern
