// Questions about single nodes and values that passes, kernels, writers and the executor ask alike.
#pragma once

#include <optional>

#include "libcore/graph/graph.h"

namespace quern {

// A float constant of one element, without an encoding.
std::optional<float> scalar_of(const Graph& graph, ValueId id);

struct Bounds {
    float low, high;  // infinite where there is none
};
// What a Relu or a Clip with constant bounds limits its input to; nullopt for other nodes.
std::optional<Bounds> clip_bounds(const Graph& graph, const Node& node);

}  // namespace quern
