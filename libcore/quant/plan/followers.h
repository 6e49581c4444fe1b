// What goes on with the result of an operator before anything is stored: the nodes of one integer unit.
#pragma once

#include "libcore/quant/plan/plan.h"

namespace quern {

// May units begin with the operator, beside those that a runtime's rules spell out?
bool begins_unit(const Op& op);

// What alone reads the result of `last`, of a unit that begins with `first`, and goes on with it; none: nothing does. `root`: the unit is a
// root that is spelled out.
NodeId next_of_unit(const Graph& graph, NodeId first, NodeId last, bool root);

// Fills plan.inner: the values that integer units do not store. `path` leads to the graph.
void find_inner(const Graph& graph, const std::string& path, const QuantWork& work, GraphPlan& plan);

}  // namespace quern
