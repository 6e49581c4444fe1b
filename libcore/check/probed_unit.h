// A unit that a probe (probe.h) looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace quern {

// Nodes of the quantized model between probed values: an integer unit, or several where values between them have no counterpart.
struct ProbedUnit {
    std::vector<std::string> nodes;  // in program order
    std::string name, op;            // of the node that says best what it is: the first with a weight, else the first
    std::vector<size_t> in, out;     // probed values, those read without repetition
    bool weighted = false;           // has quantized constants, or what counts as such
    bool bodies = false;             // bodies with encodings: all that they do counts as done by weights
    bool quantized = false;          // these, or results on a grid
    double macs = 0;                 // of one run; 0 where shapes are open
    uint64_t weights = 0;            // elements of float constants, biases and tables included
    bool per_tensor = false;         // has its weight one scale?
};

}  // namespace quern
