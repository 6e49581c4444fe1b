// Older opsets for the writer: the inverse of upgrade.h. Rows bring the newest form of an operator down to an older one, exactly, or
// refuse with Exit::unsupported and the reason.
#pragma once

#include <span>
#include <string_view>

#include "libcore/graph/op.h"
#include "libcore/passes/expansion.h"

namespace quern::onnx_format {

// Every node of `graph` and its bodies in the forms of `opset`. Types must have been inferred. Errors name the node.
void downgrade(Graph& graph, int opset);

// Every node of these operators as the older ones that stand for it, whatever the opset; types are inferred anew.
void take_apart(Graph& graph, std::span<const OpId> operators);

// The least opset from `floor` on whose operators, attributes and element types say `graph` without an operator taken apart, encodings
// written as QuantizeLinear and DequantizeLinear. downgrade() may still refuse it, for what depends on modes and computed inputs.
int least_opset(const Graph& graph, int floor);

// A node of `op` that is written for an opset below `below` is rewritten. Rows of one operator stand newest first.
struct Downgrade {
    OpId op;
    int below;
    void (*rewrite)(Graph& graph, NodeId id, int opset);
};

std::span<const Downgrade> expansions();  // operators that older opsets lack: into several older ones
std::span<const Downgrade> attention_expansions();
std::span<const Downgrade> input_downgrades();  // inputs that were attributes
std::span<const Downgrade> typed_downgrades();  // what depends on ranks, modes and types

// The least opset that has the node's operator for the types it is used on, or all its attributes.
int opset_of_operator(const Graph& graph, const Node& node);
int opset_of_attributes(const Node& node);

// ---- for the rows -----------------------------------------------------------------------------------------------------

inline bool has_input(const Node& node, size_t i) { return i < node.in.size() && node.in[i] != ValueId::none; }

// Input `i` as a constant, taken off the node: the input becomes absent and a constant without other uses goes. nullopt: it was
// absent. Throws Exit::unsupported if it is computed.
std::optional<Tensor> take_constant(Graph& graph, NodeId id, size_t i, std::string_view what);

}  // namespace quern::onnx_format
