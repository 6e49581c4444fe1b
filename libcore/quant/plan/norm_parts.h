// The parts of normalizations. Runtimes without an integer kernel for a whole one compute them on codes part by part, so they are measured
// where the whole is: "<result>/centred", "<result>/inverse" and the like.
#pragma once

#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/types/work.h"

namespace quern {

// The graph with the parts of every LayerNormalization and RMSNormalization, spelled out or not, as values of their own that nothing reads.
Graph with_norm_parts(const Graph& graph);

// Spells out the normalizations whose parts keep enough on int8 codes; the nodes of those are added to work.spelled, others with what
// they would keep to work.lost. `ranges` have the parts, or nothing is done. Those that the model spells out itself are joined first.
void spell_norms(Graph& graph, const Ranges& ranges, QuantWork& work);

}  // namespace quern
