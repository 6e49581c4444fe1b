// com.microsoft.GroupQueryAttention as Attention of ai.onnx.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// Caches whose rows end at places of their own become gathers of what was before and what is new, rotation RotaryEmbedding, and the order a
// mask. Sinks, smoothed softmaxes, caches of codes and scores as a result have no such form. The Attention; none: it stays.
NodeId replace_grouped_attention(Graph& graph, NodeId id);

}  // namespace quern
