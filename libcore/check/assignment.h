// Which unit gets which type: a knapsack over estimated noise, in closed form - no model is run here.
//
// Noise of a model's outputs is the sum of what the weights of each unit and the rounding of each value make of it. A value is rounded as
// coarsely as the coarsest of the units that make and read it; values that share a grid (before and after movements) are one. The problem
// is multi-dimensional (an output each) and its items depend on one another, so it is solved greedily: the step - one unit, or all around
// one value, to a finer type - that takes most of the excess noise away for its cost, until none is left; then every step that can be taken
// back is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quern {

// Noise energies at the outputs, by output.
using OutputNoise = std::vector<double>;

struct AssignedType {
    int weight_bits = 32, activation_bits = 32;
    bool multiplies_floats = true;      // nothing of its products is quantized
    std::vector<OutputNoise> weights;   // by unit
    std::vector<OutputNoise> rounding;  // by shared grid
};

struct AssignmentUnit {
    double macs = 0;
    uint64_t weights = 0;       // elements
    bool fixed = false;         // is of no type, and does not round what it reads
    std::vector<size_t> grids;  // that it reads or makes
};

struct AssignmentProblem {
    std::vector<AssignmentUnit> units;
    std::vector<std::vector<size_t>> users;  // of each grid: units that are not fixed
    std::vector<AssignedType> types;         // from the coarsest to the finest
    size_t start = 0;                        // the type that all units have to begin with
    OutputNoise signal;                      // energies
    std::optional<uint64_t> max_bytes;       // of weights
    std::optional<double> max_float_macs;    // of units on float numbers, the fixed ones among them

    OutputNoise noise(const std::vector<size_t>& types_of_units) const;
    double min_db(const std::vector<size_t>& types_of_units) const;  // of all outputs
    // Bit operations: multiply-accumulates times the bits of both factors.
    double cost(size_t unit, size_t type) const;
    uint64_t bytes(const std::vector<size_t>& types_of_units) const;
    double float_macs(const std::vector<size_t>& types_of_units) const;
    bool within_limits(const std::vector<size_t>& types_of_units) const;  // of bytes and of float multiply-accumulates
};

struct Assignment {
    std::vector<size_t> types;  // by unit
    bool fits = false;          // are the noise, the bytes and the float multiply-accumulates within their limits?
};

// The cheapest types found with which every output keeps `min_db`, and that fit into max_bytes and max_float_macs.
Assignment assign_types(const AssignmentProblem& problem, double min_db);

}  // namespace quern
