// What operators of TFLite say of nodes of ours: the activations that they have fused, remainders.
#pragma once

#include <string_view>

#include "formats/tflite/file/file.h"
#include "libcore/graph/graph.h"

namespace quern::tflite_format {

// The enumerator of ActivationFunctionType that a Relu or Clip is; "NONE" for other nodes.
std::string_view fused_name(const Graph& graph, const Node& node);
// The operator that does the same on its own.
Code operator_of(std::string_view fused_name);
// Is a Mod one of sizes, real numbers that an Abs makes? Then FLOOR_MOD is fmod. Of whole numbers the least one has no size.
bool is_mod_of_sizes(const Graph& graph, const Node& node);

}  // namespace quern::tflite_format
