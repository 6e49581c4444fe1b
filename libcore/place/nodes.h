// The nodes that are placed: every one but constants, in program order, those of bodies before the node they belong to.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/place/target.h"

namespace quern::place {

struct NodeRef {
    Graph* graph;
    NodeId id;
    std::string key;           // the node's name; where another node has the same one, with the path of its body before it
    std::string type() const;  // "onnx.Conv", "com.microsoft.Gelu"
    Node& node() const { return graph->node(id); }
};

std::vector<NodeRef> placed_nodes(Graph& graph);

// The node and what is in its bodies.
void put_on(Node& node, const std::string& device);

// Devices that nodes name already, spelled as the target does. Throws Exit::bad_input naming a node whose device is not the target's.
void check_devices(Graph& graph, const Target& target);

}  // namespace quern::place
