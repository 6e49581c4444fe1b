// What a provider takes and computes otherwise than ONNX says, as tests/peers/qnn_operators.py saw it: refused here, by name.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/op.h"
#include "libcore/ort/provider.h"

namespace quern::ort {

// Why the provider may not have the node; nullopt: nothing is known against it.
std::optional<std::string> otherwise(const Provider& provider, const Graph& graph, const Node& node);

// Throws Exit::unsupported, naming the node, if one of the graph is such.
void refuse_otherwise(const Provider& provider, const Graph& graph);

}  // namespace quern::ort
