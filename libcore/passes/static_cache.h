// Caches of keys and values in place: a decoder whose Attention hands on what grows becomes one that writes into buffers of fixed size.
#pragma once

#include <cstdint>

#include "libcore/graph/graph.h"

namespace quern {

// Has it Attention with graph inputs past_key and past_value and graph outputs present_key and present_value, causal, and an int64 input
// position_ids [batch, sequence]?
bool has_growing_caches(const Graph& graph);

// Such a graph with caches of `capacity` positions: TensorScatter writes the new keys and values at position_ids[:, 0] and behind it, and a
// mask of positions hides what is behind each token, and beyond a window. The input attention_mask goes: padding has the positions that
// follow. Names stay. Throws Exit::unsupported if Attention is asked for more than that.
void make_static_caches(Graph& graph, int64_t capacity);

}  // namespace quern
