#include "libcore/runs/runner.h"

#include <algorithm>

#include "formats/samples/results.h"
#include "libcore/base/loan.h"
#include "libcore/deploy/engine.h"
#include "libcore/graph/quantize.h"
#include "libcore/os/clock.h"

namespace quern {
namespace {

// One session with what it carries from sample to sample.
class Lane {
   public:
    Lane(std::unique_ptr<Engine> engine, const Graph& graph, const StatePlan& plan)
        : engine(std::move(engine)), graph_(graph), plan_(plan), inputs_(graph.inputs.size()) {
        restart();
    }

    std::vector<Tensor> run(const std::vector<Tensor>& sample) {
        std::vector<Tensor> outputs = engine->run(fed(sample));
        for (const auto& [in, out] : plan_.loops) outputs[out] = state(in);
        return outputs;
    }
    std::vector<Stored> run_stored(const std::vector<Tensor>& sample) {
        std::vector<Stored> outputs = engine->run_stored(fed(sample));
        for (const auto& [in, out] : plan_.loops) outputs[out] = engine->state(in);
        return outputs;
    }
    // Back to the states before the first sample.
    void restart() { begin_at(plan_.initial(graph_)); }
    // What the next run begins with, and back to it.
    std::vector<Tensor> states() const {
        std::vector<Tensor> all;
        for (const auto& [in, out] : plan_.loops) all.push_back(state(in));
        return all;
    }
    void begin_at(const std::vector<Tensor>& states) {
        for (size_t i = 0; i < states.size(); ++i) engine->carry(plan_.loops[i].first, plan_.loops[i].second, states[i]);
    }

    std::unique_ptr<Engine> engine;
    std::vector<TimedRun> runs;
    StepRecorder recorder{0};

   private:
    const std::vector<Tensor>& fed(const std::vector<Tensor>& sample) {
        for (size_t i = 0; i < sample.size(); ++i) inputs_[plan_.fed[i]] = sample[i];
        return inputs_;
    }
    Tensor state(size_t in) const {
        const Stored held = engine->state(in);
        return held.encoding ? dequantize(held.tensor, *held.encoding) : held.tensor;
    }

    const Graph& graph_;
    const StatePlan& plan_;
    std::vector<Tensor> inputs_;
};

struct Job {
    std::vector<Tensor> inputs, outputs, stored;  // `stored`: of native runs
    std::vector<double> seconds;

    void keep(std::vector<Stored> results) {
        outputs.clear();
        stored.clear();
        for (Stored& result : results) {
            outputs.push_back(result.encoding ? dequantize(result.tensor, *result.encoding) : result.tensor);
            stored.push_back(std::move(result.tensor));
        }
    }
};

std::vector<Tensor> parts_of(const std::vector<Tensor>& tensors, uint64_t k, uint64_t parts) {
    std::vector<Tensor> out;
    out.reserve(tensors.size());
    for (const Tensor& tensor : tensors) out.push_back(part_of(tensor, k, parts));
    return out;
}

class Runner {
   public:
    Runner(const Graph& graph, const SampleSource& source, const StatePlan& states, const RunSettings& settings)
        : graph_(graph),
          source_(source),
          states_(states),
          settings_(settings),
          parallel_(settings.parallel && states.loops.empty()),
          serial_(1) {}

    RunTimes run(const std::function<void(const Result&)>& consume, const std::function<void()>& step) {
        prepare();
        warm_up();
        const Stopwatch wall;
        const uint64_t chunk = parallel_ ? lanes_.size() * 4 : 1;
        for (uint64_t first = 0; first < source_.count(); first += chunk) {
            std::vector<Job> jobs(std::min(chunk, source_.count() - first));
            pool_->run(jobs.size(), [&](size_t i) { execute(first + i, jobs[i]); });
            for (size_t i = 0; i < jobs.size(); ++i) {
                hand_out(first + i, jobs[i], consume);
                step();
            }
        }
        times_.wall = wall.seconds();
        finish();
        return std::move(times_);
    }

   private:
    void prepare() {
        const Stopwatch watch;
        const auto open = settings_.ready ? opened(settings_.ready) : settings_.mixed ? mixed() : whole();
        pool_.emplace(settings_.threads);
        const size_t lanes = parallel_ ? static_cast<size_t>(settings_.threads) : 1;
        for (size_t i = 0; i < lanes; ++i) {
            lanes_.push_back(std::make_unique<Lane>(open(), graph_, states_));
            lanes_.back()->engine->set_timing(settings_.timing);
            lanes_.back()->recorder = StepRecorder(settings_.max_events / lanes);
            free_.put(lanes_.back().get());
        }
        if (settings_.compiled) settings_.compiled(times_.choices);
        times_.prepare = watch.seconds();
    }

    using Open = std::function<std::unique_ptr<Engine>()>;

    Open whole() {
        const auto program = Program::compile(graph_, settings_.compile);
        times_.choices = program->choices();
        return [this, program] { return make_engine(program, parallel_ ? serial_ : *pool_); };
    }

    // Before any thread is made: back ends are asked in child processes.
    Open mixed() {
        MixedOptions options = *settings_.mixed;
        options.compile = settings_.compile;
        return opened(MixedProgram::compile(graph_, options));
    }

    Open opened(const std::shared_ptr<const MixedProgram>& program) {
        times_.choices = program->choices();
        const LaneOptions lane{.threads = parallel_ ? 1 : settings_.threads, .timing = settings_.timing};
        return [program, lane] { return make_engine(program, lane); };
    }

    void warm_up() {
        if (settings_.warmup == 0) return;
        const Stopwatch watch;
        const std::vector<Tensor> sample = source_.sample(0);
        for (const auto& lane : lanes_) {
            lane->engine->set_timing(false);
            for (uint64_t i = 0; i < settings_.warmup; ++i, lane->restart()) lane->run(sample);
            lane->engine->set_timing(settings_.timing);
        }
        times_.warmup = watch.seconds();
    }

    void execute(uint64_t i, Job& job) {
        const FreeList<Lane>::Loan lane(free_);
        const StepRecorder::Use recording(settings_.max_events > 0 ? &lane->recorder : nullptr);
        job.inputs = source_.sample(i);
        at_place(source_.place(i), [&] {
            const std::vector<Tensor> before = settings_.runs > 1 ? lane->states() : std::vector<Tensor>();
            for (uint64_t k = 0; k < settings_.runs; ++k) {
                if (k > 0) lane->begin_at(before);
                lane->engine->number_run(i * settings_.runs + k);
                const double start = steady_seconds();
                if (settings_.native)
                    job.keep(lane->run_stored(job.inputs));
                else
                    job.outputs = lane->run(job.inputs);
                const double end = steady_seconds();
                job.seconds.push_back(end - start);
                if (lane->runs.size() < settings_.max_events) lane->runs.push_back({i, start, end});
            }
        });
    }

    void hand_out(uint64_t i, Job& job, const std::function<void(const Result&)>& consume) {
        seconds_.insert(seconds_.end(), job.seconds.begin(), job.seconds.end());
        const uint64_t batch = source_.batch(i);
        for (uint64_t k = 0; k < source_.results(i); ++k)
            consume({times_.results++, source_.index(i) + k, job.inputs, parts_of(job.outputs, k, batch), parts_of(job.stored, k, batch)});
        ++times_.samples;
        job = {};
    }

    void finish() {
        times_.execute = summarize(std::move(seconds_));
        for (const auto& lane : lanes_) {
            times_.arena_bytes += lane->engine->arena_bytes();
            if (settings_.timing) add_steps(lane->engine->step_times());
            if (settings_.max_events > 0) times_.lanes.push_back({std::move(lane->runs), lane->recorder.log()});
        }
        std::stable_sort(times_.steps.begin(), times_.steps.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    }

    void add_steps(std::vector<StepTime> lines) {
        for (StepTime& line : lines) {
            const auto same = std::find_if(times_.steps.begin(), times_.steps.end(),
                                           [&](const StepTime& t) { return t.node == line.node && t.device == line.device; });
            if (same == times_.steps.end()) {
                times_.steps.push_back(std::move(line));
                continue;
            }
            same->seconds += line.seconds;
            same->calls += line.calls;
        }
    }

    const Graph& graph_;
    const SampleSource& source_;
    const StatePlan& states_;
    const RunSettings& settings_;
    bool parallel_;
    std::optional<ThreadPool> pool_;
    ThreadPool serial_;

    std::vector<std::unique_ptr<Lane>> lanes_;
    FreeList<Lane> free_;
    std::vector<double> seconds_;
    RunTimes times_;
};

}  // namespace

RunTimes run_samples(const Graph& graph, const SampleSource& source, const StatePlan& states, const RunSettings& settings,
                     const std::function<void(const Result&)>& consume, const std::function<void()>& step) {
    return Runner(graph, source, states, settings).run(consume, step);
}

}  // namespace quern
