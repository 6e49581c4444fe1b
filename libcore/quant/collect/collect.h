// Calibration: runs a float model over samples and measures every float value. One sample a thread, each on single-threaded kernels;
// every statistic is exact, so the result is the same for any number of threads, any sharding, and after a resume.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/quant/collect/sample_feed.h"
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

}  // namespace quern
