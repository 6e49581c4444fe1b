// Quantity: something that constraints ask of a node, observed as zero or more labelled values.
//
// Windows, depth and space are read in the node's own layout. Data are the inputs and outputs that carry numbers: weights, biases and
// parameters (shapes, axes, indices) are none. A value inside an integer unit, which is never stored, counts as the unit's output.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libcore/graph/op.h"

namespace quern::support {

// What a quantity observes: a number, a word, or unknown.
using Fact = std::variant<std::monostate, double, std::string>;
std::string to_string(const Fact& fact);  // "?" if unknown

struct Observed {
    std::string label;  // "input 0", "output 0 dim 2"; "": the quantity's own name says it
    Fact fact;
};

struct Quantity {
    std::string_view name;   // in JSON: "kernel_height"; "constant:": takes an argument
    std::string_view words;  // in texts: "kernel height"
    std::string_view doc;
    std::vector<Observed> (*observe)(const Graph& graph, const Node& node, std::string_view argument);
};

}  // namespace quern::support
