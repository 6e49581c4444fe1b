// Recurrent layers as runtimes have them that know one direction, and no state but that of the sequence.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// LSTM and RNN of both directions become two layers, a last state that is wanted the last one of the sequence; lengths that are those of
// the sequence go. Layers whose last cells are wanted, that begin with states or have lengths of their own stay. The number of changes.
int split_recurrent(Graph& graph);

// Is there no layer of one direction, beginning with zeros and giving its sequence alone, that says the same as the node?
bool needs_steps(const Graph& graph, const Node& node);

}  // namespace quern
