// Runs a model over samples: warm-up, repeated and timed runs, state fed back, samples in parallel.
#pragma once

#include <functional>
#include <optional>

#include "formats/samples/samples.h"
#include "libcore/deploy/mixed.h"
#include "libcore/exec/recorder.h"
#include "libcore/runs/state.h"
#include "libcore/runs/statistics.h"

namespace quern {

struct RunSettings {
    CompileOptions compile;
    int threads = 1;
    uint64_t runs = 1;    // of each sample
    uint64_t warmup = 0;  // runs of the first sample that are not counted
    bool timing = false;
    std::function<void(const std::vector<Choice>&)> compiled;  // sees what runs each node before anything runs; may be empty
    bool parallel = false;                           // samples side by side, each on one thread; results come in order all the same
    std::optional<MixedOptions> mixed = {};          // partition by partition on back ends; its compile options are those above
    std::shared_ptr<const MixedProgram> ready = {};  // runs instead of a program of the graph, which has its interface
    bool native = false;                             // results come as codes, too
    size_t max_events = 0;                           // of timed runs and their steps, that are kept one by one
};

// A run on the steady clock, in seconds.
struct TimedRun {
    uint64_t sample = 0;
    double start = 0, end = 0;
};

// What one of the sessions did that samples go through: all of it on one thread, but for the threads of kernels.
struct LaneLog {
    std::vector<TimedRun> runs;
    StepLog steps;
};

struct RunTimes {
    double prepare = 0, warmup = 0, wall = 0;  // seconds; wall: executing, reading and writing together
    TimeSummary execute;                       // of single runs
    uint64_t samples = 0, results = 0, arena_bytes = 0;
    std::vector<StepTime> steps;
    std::vector<Choice> choices;
    std::vector<LaneLog> lanes;  // with RunSettings::max_events
};

// One result: its number from 0, its row in the whole list, the sample's inputs (of the whole batch), its outputs.
struct Result {
    uint64_t number, row;
    const std::vector<Tensor>& inputs;
    std::vector<Tensor> outputs;
    std::vector<Tensor> stored;  // of native runs: encoded outputs as codes where the run has them, else as in `outputs`
};

// Calls consume(result) for each result, in order, on the calling thread, and step() after each sample.
RunTimes run_samples(const Graph& graph, const SampleSource& source, const StatePlan& states, const RunSettings& settings,
                     const std::function<void(const Result&)>& consume, const std::function<void()>& step);

}  // namespace quern
