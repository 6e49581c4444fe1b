// Samples for a model: from files, input lists, rows of blobs, a stream, or random numbers. Any sample can be asked for at any time;
// files are mapped while they are read and nothing is kept, so memory does not grow with the number of samples.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/samples/source.h"
#include "formats/tensors/fit.h"

namespace quern {

struct SampleOptions {
    std::string list;                 // --input-list FILE
    std::vector<std::string> inputs;  // --input NAME=FILE, FILE.npz, or "-": a stream
    std::optional<int64_t> random;    // --random SEED
    uint64_t skip = 0;                // --skip-rows
    std::optional<uint64_t> rows;     // --rows
    bool native = false;              // --native-io
    bool repeat_padding = false;      // a last group is filled up with its last element instead of zeros

    bool given() const { return !list.empty() || !inputs.empty() || random.has_value(); }
};

// Opens what the options name; every file is looked at once, so that a missing or odd one is told before the work starts.
// Errors: Exit::usage, Exit::bad_input, Exit::io, naming file and line, what was got and what is needed.
std::unique_ptr<SampleSource> open_samples(const std::vector<InputSpec>& specs, const SampleOptions& options);

}  // namespace quern
