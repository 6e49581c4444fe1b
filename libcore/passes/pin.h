// Inputs that always have the same value.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

// "sr=16000": the input becomes a constant - one number for all elements, or one for each, separated by commas -, and what follows from it
// is folded: branches that cannot run go. Throws Exit::usage naming the input and what does not fit.
void pin_inputs(Graph& graph, std::span<const std::string> specs);

// What options say of inputs.
struct FixedInputs {
    std::vector<std::string> shapes, pins;  // for set_input_shapes() and pin_inputs()
    bool given() const { return !shapes.empty() || !pins.empty(); }
};
void fix_inputs(Graph& graph, const FixedInputs& fixed);

}  // namespace quern
