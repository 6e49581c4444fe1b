// Older opsets for the writer: the inverse of upgrade.h. Rows bring the newest form of an operator down to an older one, exactly, or
// refuse with Exit::unsupported and the reason.
#pragma once

#include <span>
#include <string_view>

#include "libcore/graph/op.h"

namespace quern::onnx_format {

// Every node of `graph` and its bodies in the forms of `opset`. Types must have been inferred. Errors name the node.
void downgrade(Graph& graph, int opset);

// The least opset from `floor` on whose operators, attributes and element types say `graph` without an operator taken apart, encodings
// written as QuantizeLinear and DequantizeLinear. downgrade() may still refuse it, for what depends on modes and computed inputs.
int least_opset(const Graph& graph, int floor);

// A node of `op` that is written for an opset below `below` is rewritten. Rows of one operator stand newest first.
struct Downgrade {
    std::string_view op;
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

// Adds nodes before one that they stand for.
class Expansion {
   public:
    Expansion(Graph& graph, NodeId id) : graph_(graph), id_(id), name_(graph.node(id).name) {}
    ValueId add(std::string_view op, std::vector<ValueId> in, DType dtype, Attrs attrs = {});
    ValueId number(DType dtype, double value);  // a scalar constant
    ValueId integers(std::string_view what, std::vector<int64_t> items);
    // Computes output `i` of the node that goes, from here on.
    ValueId give(size_t i, std::string_view op, std::vector<ValueId> in, Attrs attrs = {});
    // The last node: computes output 0 of the node that goes.
    void finish(std::string_view op, std::vector<ValueId> in, Attrs attrs = {});

   private:
    NodeId node(std::string_view op, std::vector<ValueId> in, ValueId out, Attrs attrs);
    Graph& graph_;
    NodeId id_;
    std::string name_;
};

}  // namespace quern::onnx_format
