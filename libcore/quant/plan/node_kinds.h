// Kinds of nodes, as the parts of the plan tell them apart.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

bool is_f32(const Graph& graph, ValueId id);

// Does the node compute on float32 at all?
bool float_node(const Graph& graph, const Node& node);

// Does it only move or select numbers?
inline bool moves(const Op& op) { return op.quant.kind == QuantRule::Kind::same_as_input && !has(op.traits, Trait::activation); }
inline bool is_anchor(const Op& op) { return op.quant.weight >= 0; }
inline bool is_arithmetic(const Op& op) {
    return has(op.traits, Trait::elementwise) && op.quant.kind == QuantRule::Kind::own && !has(op.traits, Trait::activation);
}

}  // namespace quern
