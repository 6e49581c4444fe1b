// Attention in one piece as the products that it computes: what the quantizer decides about.
#pragma once

#include <functional>
#include <string>

#include "libcore/graph/op.h"

namespace quern {

// Spells out com.microsoft.MultiHeadAttention and GroupQueryAttention and Attention of ai.onnx, where `wanted` says so of the node and the
// path of its graph. What has no such form stays. The number of changes.
int expand_attention_where(Graph& graph, const std::function<bool(const Node& node, const std::string& path)>& wanted);

}  // namespace quern
