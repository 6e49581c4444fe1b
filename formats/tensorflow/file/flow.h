// Control flow of TensorFlow 1, which is nodes among others: Switch sends a tensor one of several ways, Merge goes on with the one that
// came, and Enter, NextIteration and Exit make loops. Which nodes are in which branch and loop is found here; map/flow.cpp makes If and
// Loop.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/tensorflow/file/node_graph.h"

namespace quern::tensorflow_format {

struct Flow {
    // Where a node is: in a branch, behind Switches on a condition, or in a loop.
    struct Tag {
        std::string loop;  // empty: a branch
        Ref condition = {};
        size_t side = 0;
        auto operator<=>(const Tag&) const = default;  // NOLINT(modernize-use-nullptr): of a comparison with 0
    };
    using Tags = std::set<Tag>;

    // A Merge that ends branches.
    struct Join {
        Ref condition;
        size_t ways = 2;              // of the Switches
        std::map<size_t, Ref> sides;  // what comes from each way
        std::vector<size_t> needs;    // nodes outside of the branches that are read in them
    };
    struct Variable {  // of a loop
        size_t merge = 0;
        Ref first, next;
        std::vector<size_t> switches;
    };
    struct Loop {
        Ref condition;
        std::vector<Variable> variables;
        std::vector<size_t> needs;  // nodes outside of the loop that are read in it
    };

    std::vector<Tags> tags;        // of each node; what a Switch gives has one more
    std::map<size_t, Join> joins;  // by Merge
    std::map<std::string, Loop> loops;
    std::map<size_t, std::string> exits;  // the loop that a node is behind
};

// nullptr: the graph has no such nodes.
std::shared_ptr<const Flow> flow_of(const NodeGraph& graph);
// What stands before Identities.
Ref behind_identities(const NodeGraph& graph, Ref ref);
// What is computed before a node that ends branches or a loop; nullopt: of another node.
std::optional<std::vector<size_t>> flow_needs(const NodeGraph& graph, size_t node);

}  // namespace quern::tensorflow_format
