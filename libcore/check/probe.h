// A probe: one graph that computes, side by side on the same samples, a float model, the same model quantized, and what each unit of it
// would make of float operands. One run of it says where the noise of the outputs comes from; no unit needs a run of its own.
//
// Of a unit with quantized weights the probe computes its results with these weights from float operands; of others, their results from
// float operands that are rounded to their grids. What the rounding of the result then adds is its own noise: movements and pools, whose
// results are on the grid already, add none. For each value that a unit reads the probe also computes its results with that value as the
// quantized model has it and float ones in the other places: what the unit hands on of the noise that reaches it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/check/probed_unit.h"
#include "libcore/graph/op.h"

namespace quern {

// A value of the quantized model that has a counterpart in the float model: of the same name and shape, or what a Recode reads.
struct ProbedValue {
    std::string name;              // in the quantized model
    std::optional<Encoding> enc;   // there
    std::optional<size_t> maker;   // the unit; none: an input of the model
    std::vector<size_t> readers;   // units, ascending
    std::optional<size_t> output;  // which output of the model it is
    size_t source = 0;             // the value of the float model, by place in Probe::sources
    int axis = -1;                 // of channels (channel_axis)
};

// What an observed value of the probe is.
struct Tap {
    enum class Kind : uint8_t { source, stored, plain, base, part };  // base: what parts are beside, where bodies round
    Kind kind;
    size_t index;     // of the source, or of the probed value
    size_t part = 0;  // which of the unit's `in` is as the quantized model has it
};

struct Probe {
    Graph graph;
    std::vector<std::string> sources;  // values of the float model that are compared with
    std::vector<ProbedValue> values;   // inputs first, then in the order in which units make them
    std::vector<ProbedUnit> units;     // in the order of their last nodes
    std::map<std::string, Tap, std::less<>> taps;
    std::vector<std::string> outputs;  // of the quantized model
};

// Both graphs as the quantizer prepares them or as they are read, with their encodings on values. Throws Exit::bad_input if an output or
// input of the quantized model has no counterpart.
Probe make_probe(const Graph& exact, const Graph& quantized);

}  // namespace quern
