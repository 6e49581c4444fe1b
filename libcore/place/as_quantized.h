// Placing before quantizing: what devices will be asked about once the model is quantized.
#pragma once

#include <string_view>

#include "libcore/graph/summary.h"
#include "libcore/place/nodes.h"

namespace quern::place {

// Does any device but "cpu" take float32, as far as the constraints of all its operators say?
bool takes_floats(const Target& target);

// The type that the target's runtime takes for `type`, or for "" the one that the target states (i8 if none).
std::string type_for(const Target& target, std::string_view type);

// A copy of a float graph with encodings as `quantize --target TARGET --type TYPE` gives them, over ranges of -1 to 1: storage is right,
// scales are not. Nodes that quantize leaves float stay so, those that are bound to "cpu" among them. Node ids stay. Throws Exit::usage for
// an unknown type.
Graph as_quantized(const Graph& graph, const Target& target, std::string_view type);

// Devices of `from` for the nodes of the same key in `to`.
void take_devices(Graph& from, Graph& to);

}  // namespace quern::place
