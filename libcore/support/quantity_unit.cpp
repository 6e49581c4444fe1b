// Quantities of the integer unit that a node stands in.
#include <array>

#include "libcore/graph/summary.h"
#include "libcore/support/observe.h"
#include "libcore/support/units.h"

namespace quern::support {
namespace {

using List = std::vector<Observed>;

NodeId id_of(const Graph& graph, const Node& node) {
    for (const ValueId out : node.out)
        if (out != ValueId::none) return graph.value(out).producer;
    return NodeId::none;
}

NodeId next_of(const Graph& graph, NodeId id) {
    const std::vector<ValueId>& out = graph.node(id).out;
    return out.empty() || out[0] == ValueId::none ? NodeId::none : next_in_unit(graph, out[0]);
}

// The operator with which the unit begins, where that is not the node itself.
List fused_behind(const Graph& graph, const Node& node, std::string_view) {
    const NodeId own = id_of(graph, node);
    NodeId first = own;
    for (NodeId id = own; id != NodeId::none; id = before_in_unit(graph, id)) first = id;
    return one(first == own ? std::string("none") : full_name(*graph.node(first).op));
}

List unit_length(const Graph& graph, const Node& node, std::string_view) {
    const NodeId own = id_of(graph, node);
    if (own == NodeId::none) return one(number(1));
    double length = 1;
    for (NodeId id = before_in_unit(graph, own); id != NodeId::none; id = before_in_unit(graph, id)) ++length;
    for (NodeId id = next_of(graph, own); id != NodeId::none; id = next_of(graph, id)) ++length;
    return one(number(length));
}

constexpr std::array rows{
    Quantity{"fused_behind", "operator that it is fused behind", "the first of its integer unit: Conv; none, if it is that itself",
             fused_behind},
    Quantity{"unit_length", "nodes of the integer unit", "1 of a node that is computed alone", unit_length},
};

}  // namespace

std::span<const Quantity> unit_quantities() { return rows; }

}  // namespace quern::support
