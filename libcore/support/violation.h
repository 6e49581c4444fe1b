// What a node breaks of a constraint.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/op.h"
#include "libcore/support/constraint.h"

namespace quern::support {

// "kernel height is 300, need at most 256 (why)" for the first observed value that the constraint does not allow; nullopt: it holds, or
// asks nothing of this node.
std::optional<std::string> violation(const Constraint& constraint, const Graph& graph, const Node& node);

}  // namespace quern::support
