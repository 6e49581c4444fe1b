// Cost: what a node takes on a device and a value on a link, by a target's table, in seconds.
//
// A node's multiply-accumulates and bytes are its operator row's own (Op::cost), of dims as tile.h counts them; bytes count at the values'
// stored width. Nodes that hold bodies take what the nodes of their bodies take, for one turn of loops and all branches. Nothing is ever
// negative.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/op.h"
#include "libcore/place/target.h"
#include "libcore/place/tile.h"

namespace quern::place {

// By the output's encoding: "float", "int8" (8 bits and fewer), "int16"; nodes whose output has none but that read codes only by table
// (comparisons, ArgMax) by their first encoded input.
std::string precision_of(const Graph& graph, const Node& node);

// Does the node compute with real numbers, so that codes among its inputs are decoded first?
bool computes_reals(const Graph& graph, const Node& node);

// Work of a node by its row; bytes at stored width. Bodies are not included. `tile`: Device::tile.
Cost work_of(const Graph& graph, const Node& node, Tile tile = {});

// The row of the table that counts for the node; nullptr if none fits.
const CostRow* cost_row(const Device& device, const Graph& graph, const Node& node);

// Seconds at the stored encodings; nullopt: the device's table has no row for the operator (or for one in the node's bodies).
std::optional<double> node_seconds(const Device& device, const Graph& graph, NodeId node);

// Bytes of a value as stored.
double stored_bytes(const Value& value);
uint64_t whole_bytes(const Value& value);  // rounded up, at most 10^14

// Seconds to bring a value of one device to another: its link, or those through "cpu" where there is none. Links that are not stated are
// free.
double transfer_seconds(const Target& target, std::string_view from, std::string_view to, const Value& value);

// Seconds to change the encoding of a value at the edge of a device.
double recode_seconds(const Device& device, const Value& value);

bool is_recode(const Node& node);  // a change of encoding by itself

// Does the node decode the codes that it reads, and encode what it makes, at the edge of its device? A Recode has that for its work.
bool works_at_the_edge(const Graph& graph, const Node& node);

// Seconds in which the node encodes what it computes as real numbers.
double encoding_seconds(const Device& device, const Graph& graph, const Node& node);

}  // namespace quern::place
