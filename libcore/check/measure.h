// What one run of a probe over samples tells: the noise at every value and what each unit adds to it. Memory: the float values of one
// sample at most, and sums.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "formats/samples/samples.h"
#include "libcore/check/probe.h"

namespace quern {

// Of one value, over all samples. Energies are sums of squares.
struct ValueSums {
    uint64_t count = 0;
    double signal = 0;    // of the float model
    double noise = 0;     // what the quantized model differs by: all that was added up to here
    double weights = 0;   // what the quantized weights of its unit alone make of it
    double rounding = 0;  // what rounding it to its grid adds
    double clipping = 0;  // of that: numbers beyond the grid
    uint64_t clipped = 0;
    std::vector<double> parts;  // noise that comes through each of its unit's operands, the others being exact
    static constexpr size_t reach_steps = 128;
    std::array<uint64_t, reach_steps> reach{};  // numbers by how much of the grid's greatest magnitude they take
    std::vector<double> channel_weights;        // `weights` by channel
    std::vector<float> channel_peak;            // greatest magnitude by channel
};

struct Measurement {
    uint64_t samples = 0;
    std::vector<ValueSums> values;  // by probed value
};

// Errors: those of samples and runs. `step` is called after each sample.
Measurement measure(const Probe& probe, const SampleSource& source, int threads, const std::function<void()>& step);

}  // namespace quern
