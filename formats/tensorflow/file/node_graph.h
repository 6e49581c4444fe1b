// Nodes that refer to each other by place: the graph of a file, or a function of it, with its arguments as nodes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tensorflow/file/graph_def.h"

namespace quern::tensorflow_format {

struct Flow;  // flow.h

// A result of a node.
struct Ref {
    size_t node = 0, out = 0;
    auto operator<=>(const Ref&) const = default;  // NOLINT(modernize-use-nullptr): of a comparison with 0
};

struct NodeGraph {
    std::string name;  // of a function
    std::vector<Node> nodes;
    std::vector<std::vector<Ref>> inputs;       // of each node
    std::vector<std::vector<size_t>> controls;  // what runs before each node
    std::vector<size_t> outputs;                // of each node, how many that are read
    std::vector<Ref> results;                   // of a function
    std::vector<size_t> effects;                // of a function: nodes that run whatever is read
    size_t arguments = 0;                       // of a function: its first nodes, "_Arg"
    std::vector<bool> before_effect;            // nodes that assign a variable, or of which one is that follows them
    std::shared_ptr<const Flow> flow;           // of TensorFlow 1; nullptr: has none
    std::map<std::string, size_t, std::less<>> by_name;

    // "node", "node:1": of the graph of a file.
    Ref find(std::string_view reference) const;
};

// The number that `text`, behind a colon of a reference, is; throws Exit::bad_input if it is none.
size_t output_number(std::string_view text, std::string_view reference);
// The function that a node calls, branches to or loops over; empty: none.
std::vector<std::string> callees(const Node& node);

}  // namespace quern::tensorflow_format
