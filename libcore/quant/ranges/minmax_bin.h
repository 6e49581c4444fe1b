// minmax.bin, the file in which onert records extremes on a device: per run of a (sub)graph one minimum and maximum for each operator
// with one float result and for each input. It names no model; places are indices of the Circle file that was run.
#pragma once

#include <string>
#include <vector>

#include "formats/circle/recorded_places.h"
#include "libcore/base/bytes.h"
#include "libcore/quant/ranges/ranges.h"

namespace quern::onert {

struct MinmaxRecord {
    uint32_t model = 0, subgraph = 0, index = 0;  // of the operator or the input
    float min = 0, max = 0;
    bool operator==(const MinmaxRecord&) const = default;
};
struct MinmaxRun {
    std::vector<MinmaxRecord> operators, inputs;
    bool operator==(const MinmaxRun&) const = default;
};

// Version 1, little-endian. Throws Exit::bad_input with the run and byte where it does not hold what it says.
std::vector<MinmaxRun> parse_minmax(const Bytes& bytes);
std::string write_minmax(const std::vector<MinmaxRun>& runs);

// The runs as ranges of these values, each run of the main graph a sample; `skipped`: records of other subgraphs. Throws Exit::bad_input
// for places that the model does not have or does not record (another model's file), NaN, infinity and a minimum above its maximum.
Ranges ranges_of_minmax(const std::vector<MinmaxRun>& runs, const Places& places, size_t& skipped);
// The other way. Throws Exit::bad_input for a recorded value whose extremes of each run are not known, or not of all runs.
std::vector<MinmaxRun> minmax_of_ranges(const Ranges& ranges, const Places& places);

}  // namespace quern::onert
