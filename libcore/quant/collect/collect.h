// Calibration: runs a float model over samples and measures every float value. One sample a thread, each on single-threaded kernels;
// every statistic is exact, so the result is the same for any number of threads, any sharding, and after a resume.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/quant/collect/feedback.h"
#include "libcore/quant/ranges/ranges_json.h"

namespace quern {

struct CollectOptions {
    int threads = 1;
    bool histogram = true;
    bool per_channel = false;
    bool all_runs = false;  // the extremes of each run of all samples, not of the usual ones only
    // Stop when ranges have converged: every 32 samples the ranges are compared with those 32 samples before; after two such windows in
    // which no value's range grew by more than `tolerance` of its width, no more samples are run.
    bool until_converged = false;
    double tolerance = 0.01;
    // State after whole windows, written atomically; a run that finds it goes on from there. Removed by the caller when done.
    std::string checkpoint;
    double checkpoint_seconds = 2;
    // Keys of values in which minus infinity is meant, beside those of mask_values(). There it counts as the least float.
    std::vector<std::string> masks = {};
};

// Where the samples come from, so that this layer knows no file formats. With feedback the samples are a sequence: they run in order on
// one thread, and `sample` leaves the fed-back inputs undefined.
struct SampleFeed {
    uint64_t count = 0;
    std::function<std::vector<Tensor>(uint64_t)> sample;  // any thread
    std::function<std::string(uint64_t)> place;           // for messages
    std::function<uint64_t(uint64_t)> index;              // keys per-run extremes: the number of its first row
    std::string digest;                                   // a checkpoint of other samples is refused
    Feedback feedback = {};                               // state of the first sample
    // Of a sample that rows fill up to a model's batch: each row counts as a sample, what only fills up does not. Empty: 1.
    std::function<uint64_t(uint64_t)> rows = {};   // that count
    std::function<uint64_t(uint64_t)> batch = {};  // with those that fill up
};

class Collection {
   public:
    virtual ~Collection() = default;
    virtual const Ranges& head() const = 0;              // what was run; no values
    virtual void write(const TextSink& sink) const = 0;  // the whole sidecar
    virtual bool converged() const = 0;                  // stopped before the last sample
};

// Throws Exit::bad_input naming value and sample if a number is NaN or infinite, but for minus infinity in masks. `step(n)`: n samples were
// done.
std::unique_ptr<Collection> collect_ranges(const Graph& graph, const std::string& lineage, const SampleFeed& feed,
                                           const CollectOptions& options, const std::function<void(uint64_t)>& step);

// The same run by run, for a caller who wants the outputs: samples are numbered from 0. A run that fails leaves what it saw before that.
class Recorder {
   public:
    virtual ~Recorder() = default;
    virtual std::vector<Tensor> run(const std::vector<Tensor>& inputs) = 0;
    virtual uint64_t samples() const = 0;
    virtual Ranges ranges(bool all_runs) const = 0;  // all_runs: if they were collected
};
std::unique_ptr<Recorder> make_recorder(const Graph& graph, const std::string& lineage, const CollectOptions& options);

// The axis of per-channel extremes: 1 beside convolutions, pools and in rank 4 and above, else the last; -1 below rank 2.
int channel_axis(const Graph& graph, ValueId id);

}  // namespace quern
