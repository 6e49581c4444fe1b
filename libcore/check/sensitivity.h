// Sensitivities of units from one measurement of a probe.
//
// The estimate: noise of different sources adds up in energy, and a unit hands on the same share of all noise that reaches it by one
// operand. That share is measured, not modelled: the noise at its result that this operand alone makes, over the noise of the operand. What
// was measured at an output is divided among all sources in the proportion of what they make of it by these shares.
#pragma once

#include <string>
#include <vector>

#include "libcore/check/measure.h"

namespace quern {

// What one unit of energy at a value becomes at each output of the model: [value][output].
using Influence = std::vector<std::vector<double>>;
Influence influence_of(const Probe& probe, const Measurement& measured);

// By value: the number of its grid, from 0. Values before and after a unit that only hands codes on have one.
std::vector<size_t> shared_grids(const Probe& probe, const Measurement& measured);

enum class Cause : uint8_t { none, weights, rounding, clipping };
std::string_view name_of(Cause cause);  // "weights", "activations", "clipped activations", "none"

struct Sensitivity {
    size_t unit = 0;                      // of the probe; an input: its number of units and more
    std::string name, op;                 // of an input its name, and "input"
    double weights = 0, rounding = 0;     // share of the noise of the worst output that its weights and the rounding of its results make
    double local_db = 0;                  // it alone quantized: SQNR of its result
    double alone_db = 0, without_db = 0;  // of the worst output: it alone quantized, it alone float
    Cause cause = Cause::none;            // of most of what it adds
    int channel = -1;                     // the one of which most of that comes; -1: none stands out
    double channel_share = 0;             // of the weights' noise
    double outliers = 0;                  // share of the numbers that take more than `core` of the range
    double core = 1;                      // the part of the range that the others need
    double clipped = 0;                   // share of the numbers beyond the grid
    double share() const { return weights + rounding; }
};

// Worst first. `worst`: the output by number that they are of.
std::vector<Sensitivity> sensitivities(const Probe& probe, const Measurement& measured, size_t worst);

// Signal over noise at an output in the fake-quantized run, in dB; infinity where nothing is lost.
double output_db(const Probe& probe, const Measurement& measured, size_t output);
// The output of the least; nothing if no output holds real numbers.
std::optional<size_t> worst_output(const Probe& probe, const Measurement& measured);

// "weights, channel 3 has 61 % of the noise", for people.
std::string cause_text(const Probe& probe, const Sensitivity& row);

}  // namespace quern
