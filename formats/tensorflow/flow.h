// Control flow of TensorFlow 1, which is nodes among others: Switch sends a tensor one of two ways, Merge goes on with the one that came,
// and Enter, NextIteration and Exit make loops. Which nodes are in which branch and loop is found here; import raises them to If and Loop.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "formats/tensorflow/node_graph.h"

namespace quern::tensorflow_format {

struct Flow {
    // A branch: a way out of the Switches on a condition, or a loop.
    struct Tag {
        Ref condition;      // of Switches
        size_t side = 0;
        std::string loop;   // its name; empty: a branch
        auto operator<=>(const Tag&) const = default;
    };
    using Tags = std::set<Tag>;

    // A Merge that ends branches.
    struct Join {
        Ref condition;
        size_t switch_node = 0;  // one of those that it ends
        std::map<size_t, Ref> sides;
        std::vector<size_t> needs;  // nodes outside of the branches that are read in them
    };
    struct Variable {  // of a loop
        size_t merge = 0;
        Ref enter, next;
        std::vector<size_t> switches, exits;
    };
    struct Loop {
        Ref condition;
        std::vector<Variable> variables;
        std::vector<size_t> needs;
    };

    std::vector<Tags> tags;  // of each node, without the side that a Switch sends to
    std::map<size_t, Join> joins;               // by Merge
    std::map<std::string, Loop> loops;
    std::map<size_t, std::string> exits;  // Exit to loop
};

// nullptr: the graph has no such nodes. Throws Exit::unsupported for what is neither a branch nor a loop.
std::shared_ptr<const Flow> flow_of(const NodeGraph& graph);

}  // namespace quern::tensorflow_format
