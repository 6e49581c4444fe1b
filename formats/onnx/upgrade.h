// Opset versions: quern works on one frozen list, the newest form of each ONNX operator. Rows bring older forms up to it.
#pragma once

#include <span>
#include <string_view>

#include "libcore/graph/op.h"

namespace quern::onnx_format {

// The newest opset of the ai.onnx domain that is read as it stands.
inline constexpr int newest_opset = 28;
// The oldest that is written.
inline constexpr int oldest_written = 7;

// A node of `op` from an opset below `until` is rewritten. Rows of one operator run oldest first.
struct Upgrade {
    OpId op;
    int until;
    void (*rewrite)(Graph& graph, NodeId id, int version);
    // The old form cannot be inferred by the new row, but its result has the type of input 0.
    bool like_first = false;
};

std::span<const Upgrade> attribute_upgrades();  // need nothing but the node: attributes that became inputs, dropped ones
std::span<const Upgrade> typed_upgrades();      // need the ranks of their inputs: run after inference

// Opsets 1 to 6: is `op` one whose `axis` (PRelu: always 1) says where the second operand lies in the first? Its shapes must not be
// inferred before explicit_broadcast() has put the second operand in its place; that returns false while a rank is not known.
bool broadcasts_explicitly(const Node& node, int version);
bool explicit_broadcast(Graph& graph, NodeId id);

void upgrade(std::span<const Upgrade> rows, Graph& graph, NodeId id, int version);

}  // namespace quern::onnx_format
