// QuantizeLinear and DequantizeLinear: the encodings that their parameters say.
#pragma once

#include <optional>

#include "libcore/graph/graph.h"

namespace quern {

// ONNX's own, or those of com.microsoft.
bool is_quantize(const Node& node);
bool is_dequantize(const Node& node);

// The encoding between the codes and the float32 value of such a node, if its parameters are constants that an encoding can say.
std::optional<Encoding> linear_encoding(const Graph& graph, const Node& node);

}  // namespace quern
