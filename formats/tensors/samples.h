// Samples for a model: from files, input lists, rows of blobs, a stream, or random numbers. Any sample can be asked for at any time;
// files are mapped while they are read and nothing is kept, so memory does not grow with the number of samples.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/tensors/fit.h"

namespace quern {

class SampleSource {
   public:
    virtual ~SampleSource() = default;
    virtual uint64_t count() const = 0;
    // Tensors in the order of the specs that the source was made for, logical dtypes. Any thread may call.
    virtual std::vector<Tensor> sample(uint64_t i) const = 0;
    // Where sample i comes from, for messages: "sample 3 (list.txt, line 5)".
    virtual std::string place(uint64_t i) const = 0;
    // The number of the sample's first result in the whole list: what keys labels and per-run extremes.
    virtual uint64_t index(uint64_t i) const { return i; }
    // Results in sample i: more than 1 where lines of one element each fill a model's batch (the last one may be padded).
    virtual uint64_t results(uint64_t) const { return 1; }
    // Elements in its batch, padding included; 1: samples are not put together.
    virtual uint64_t batch(uint64_t) const { return 1; }
    // Samples one by one: as many as results, for a source that puts them together.
    virtual uint64_t items() const { return count(); }
    // Only the items [first, first + count) from now on; false if the source cannot do that by itself.
    virtual bool select(uint64_t /*first*/, uint64_t /*count*/) { return false; }
    // Identifies what the source delivers: names, sizes and settings, not contents.
    virtual std::string digest() const = 0;
};

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

// The outputs that an input list asks for: "#layer ..." by node or value name, "%tensor ..." by value name; {} if none.
// `nodes`: names of what further nodes make, for graphs that do not have them.
std::vector<std::string> listed_outputs(const std::string& list, const Graph& graph,
                                        const std::map<std::string, std::vector<std::string>>& nodes = {});
// Makes the named values the graph's outputs.
void select_outputs(Graph& graph, const std::vector<std::string>& names);

}  // namespace quern
