// Attention of ai.onnx in products of rank 4, a softmax and the mask as numbers to add: for opsets that lack it, and for the quantizer.
#pragma once

#include <string>

#include "libcore/graph/op.h"

namespace quern {

// Why an Attention cannot be spelled out; empty if it can.
std::string attention_obstacle(const Graph& graph, const Node& node);
// Puts the parts in the place of a node that can be.
void spell_attention(Graph& graph, NodeId id);

}  // namespace quern
