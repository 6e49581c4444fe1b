// Whose rules the encodings of a quantized model follow, where a model goes on to another runtime.
#pragma once

#include <string>
#include <string_view>

#include "libcore/quant/types/request.h"

namespace quern {

class Graph;

// Of a model's metadata: the name of the recipe by which it was quantized, where that is not onnx's.
inline constexpr const char* rules_key = "rules";

// The name of a recipe: that of the metadata, else that of the file that the graph came from; onnx's, also where nobody knows.
std::string_view followed_rules(const Graph& graph);
// The name of the recipe that types without rules of their own follow on the way to `destination`.
std::string_view rules_of(const Destination& destination);

// How many operators of a graph with quantized activations have a result of real numbers, bodies included; 0 of another graph.
size_t count_float_nodes(const Graph& graph);
// But for DequantizeLinear and Recode, which give what others computed.
bool makes_floats(const Graph& graph, const Node& node);

}  // namespace quern
