// Units: the smallest parts of a graph that a device takes as a whole - the integer units, and each node outside of them. Nodes of bodies
// belong to the node that holds the body.
//
// An integer unit is a product or sum of codes with what alone reads it and whose result is encoded - the Add of a product's bias, an
// activation -, or the nodes that a row of the graph's arithmetic profile joins: it is requantized once, at its end, and nothing in between
// is stored. Interpreter, quantizer, placement, the writers of TFLite and QOperator form and what back ends see go by the functions here;
// units are nowhere stored.
#pragma once

#include <utility>
#include <vector>

#include "libcore/graph/op.h"

namespace quern::support {

struct Units {
    std::vector<std::vector<NodeId>> members;  // units in a topological order, their nodes in a topological order
    std::vector<size_t> of;                    // by node id
};

// Throws Exit::bad_input if the graph has a cycle.
Units units_of(const Graph& graph);

// The node that goes on with `id` where the value need not be stored: the activation or the Add of a constant to a product that alone reads
// it, whatever the encodings; none: nothing can.
NodeId follower_of(const Graph& graph, ValueId id);
// The one that does, as the graph is encoded; none: the value is stored.
NodeId next_in_unit(const Graph& graph, ValueId id);
// The node before `id` in its integer unit; none: a unit begins with it, or it stands in none.
NodeId before_in_unit(const Graph& graph, NodeId id);

// The value that is stored for `id`: `id` itself, or the result of the activation behind it (of the addition of its bias, in a unit).
const Value& stored_value(const Graph& graph, ValueId id);
// Is the value inside an integer unit, where it is never stored?
bool inside_unit(const Graph& graph, ValueId id);

// The constant that is added to the product of `node` before anything is stored: its own bias, or that of the Add behind it in its unit;
// none if there is none.
ValueId bias_in_unit(const Graph& graph, const Node& node);
// Is input i of an Add the bias of the product before it in its unit?
bool is_unit_bias(const Graph& graph, const Node& node, size_t i);

// Values that a node reads: inputs and what its bodies capture, constants included, absent ones not.
std::vector<ValueId> values_read(const Node& node);

// Which units read what others make, without repetition, ascending.
std::vector<std::pair<size_t, size_t>> unit_edges(const Graph& graph, const Units& units);

}  // namespace quern::support
