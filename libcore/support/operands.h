// Operands by what they are to a quantized node: activations, the weight, the bias, parameters.
#pragma once

#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// Input i of a node is a float activation to the quantizer: not the weight, the bias or a parameter.
bool is_activation(const Graph& graph, const Node& node, size_t i);
// The constant weight of a node: its input index, or -1.
int weight_input(const Graph& graph, const Node& node);
// Is it Gather, whose constant float table is as good as a weight: two dims or more, and slices long enough for a scale each?
bool is_table(const Graph& graph, const Node& node);
bool is_recurrent(const Node& node);  // LSTM, GRU, RNN of the standard
// All constant weights of a node: one (a table among them), of recurrent ones both matrices or none.
std::vector<size_t> weight_inputs(const Graph& graph, const Node& node);
int64_t gates_of(const Graph& graph, const Node& recurrent);  // how many its constant weights hold: 4 of LSTM, 3 of GRU, 1 of RNN
// The axis of output channels of a node's weight, of a table that of its slices; -1 if channels cannot have scales of their own.
int weight_axis_of(const Node& node, size_t rank);
// The axis that the products run along (for blocks), of a table of rows that of their numbers; -1 if there is none.
int reduction_axis_of(const Node& node, size_t rank);

}  // namespace quern
