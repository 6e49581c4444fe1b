// The nodes of a graph as a tree of modules, for pictures that stay readable: by the module paths of the source model (Node::scope, or the
// part of a name before its last "/"), and by parts of the order of computation where there are too many nodes side by side.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern::place {

struct Module {
    std::string name;  // below its parent; "" for the whole graph
    size_t parent = 0;
    struct Item {
        bool module = false;
        size_t index = 0;  // of the module, or the node's place in the order
    };
    std::vector<Item> items;      // by the place of their first node
    size_t first = 0, count = 0;  // the place of its first node, and how many it has
};

// Modules of at most `max` items; the first is the whole graph, parents come before their children. `order`: of computation.
std::vector<Module> modules_of(const Graph& graph, const std::vector<NodeId>& order, size_t max = 60);

}  // namespace quern::place
