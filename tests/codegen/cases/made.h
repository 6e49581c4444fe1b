// A node case of ONNX as C: its graph with the inputs that are plans (axes, shapes) as constants, the others as samples; or a model with
// random samples.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "formats/format.h"
#include "tests/conformance/cases.h"

namespace codegen_cases {

struct Made {
    conformance::Case test;
    std::string name;  // of the C files and functions
    quern::Graph graph;
    std::vector<quern::Tensor> inputs;  // logical numbers
    bool freestanding = false, integer = false;
    std::set<std::string> refused;  // "Operator: reason", if there is no C
    std::string failure;            // an error that is no refusal
    bool generated() const { return refused.empty() && failure.empty(); }
};

// Writes folder/name.c and .h. First with every input given in the run; where that is refused, with whole numbers as constants.
Made make(const conformance::Case& test, const std::string& name, const std::filesystem::path& folder);

// The same for a model file.
Made make_model(const std::filesystem::path& path, const std::string& name, const std::filesystem::path& folder);

// The same of a graph and its inputs.
Made make_graph(quern::Graph graph, std::vector<quern::Tensor> inputs, const std::string& name, const std::filesystem::path& folder);

// What differs between the run of the graph and that of `invoke`; empty if nothing does.
using Invoke = void (*)(const void* const* inputs, void* const* outputs);
std::string difference(const Made& made, Invoke invoke);

}  // namespace codegen_cases
