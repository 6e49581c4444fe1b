// Activations that operators of TFLite have fused.
#pragma once

#include <string_view>

#include "formats/tflite/file/file.h"
#include "libcore/graph/graph.h"

namespace quern::tflite_format {

// The enumerator of ActivationFunctionType that a Relu or Clip is; "NONE" for other nodes.
std::string_view fused_name(const Graph& graph, const Node& node);
// The operator that does the same on its own.
Code operator_of(std::string_view fused_name);

}  // namespace quern::tflite_format
