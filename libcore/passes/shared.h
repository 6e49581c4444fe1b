// What passes share: questions about values, and replacing nodes while names stay.
#pragma once

#include <optional>

#include "libcore/graph/op.h"
#include "libcore/graph/questions.h"
#include "libcore/passes/pass.h"

namespace quern {

// Runs fn on the graph and every body below it; the sum of what it returns.
int on_every_graph(Graph& graph, int (*fn)(Graph& graph));

// The node that makes `id` if it is that operator, else nullptr.
const Node* made_by(const Graph& graph, ValueId id, OpId op);
ValueId input_of(const Node& node, size_t i);            // none beyond the last
bool is_plain_constant(const Graph& graph, ValueId id);  // of float32, without an encoding
bool is_plain_zero(const Graph& graph, ValueId id);      // such a constant of zeros, or none

// Does a node that moves elements put zeros between them? Those are not codes of 0.
bool makes_zeros(const Node& node);

// A plain integer constant of rank 0 or 1.
std::optional<std::vector<int64_t>> ints_of(const Graph& graph, ValueId id);

// Puts a node that computes `out` in the place of the one that does so now; `out` keeps its name, type and readers. The old node is
// erased when none of its other outputs has a reader.
NodeId take_over(Graph& graph, ValueId out, const Op* op, std::vector<ValueId> in, Attrs attrs = {});

// The State nodes of a graph and the values that continue them; a value that is gone is left out.
std::vector<std::pair<NodeId, ValueId>> states_of(const Graph& graph);
// Those that are continued by `from` are by `to`.
void continue_states(Graph& graph, ValueId from, ValueId to);

// Erases the node that makes `id` if nobody reads any of its results, and in turn what only it has read. Constants stay.
void erase_unread(Graph& graph, ValueId id);

// The name of what codes stand for: "x" for "x_codes", "x_quantized" and "x_QuantizeLinear"; nullopt for other names.
std::optional<std::string> name_behind_codes(std::string_view codes);
// The same of an operator on codes: "conv" for "conv_quant" and "conv_sums"; other names as they are.
std::string name_behind_integers(const std::string& node);

// Every reader of `from` reads `to` instead. A graph output keeps its name: `to` is renamed if it can be. False if it cannot.
bool forward(Graph& graph, ValueId from, ValueId to);

}  // namespace quern
