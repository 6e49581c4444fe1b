#include "libcore/exec/session.h"

#include <exception>
#include <future>
#include <system_error>

#include "libcore/base/float_environment.h"
#include "libcore/exec/interpreter.h"

namespace quern {

namespace {

// One run's use of the memory, around the life of its frame.
class PlannedRun {
   public:
    PlannedRun(Memory& memory, const std::vector<Dims>& shapes) : memory_(memory), exceptions_(std::uncaught_exceptions()) {
        memory_.begin(shapes);
    }
    ~PlannedRun() { memory_.end(std::uncaught_exceptions() == exceptions_); }
    PlannedRun(const PlannedRun&) = delete;
    PlannedRun& operator=(const PlannedRun&) = delete;

   private:
    Memory& memory_;
    int exceptions_;
};

}  // namespace

struct Session::State : RunState {
    State(std::shared_ptr<const Program> p, ThreadPool& pool) : RunState{pool}, program(std::move(p)) {
        memory->set_layouts(graph().layouts(), graph().has_fixed_shapes());
        if (graph().layouts().empty()) return;
        pool.size() > 1 ? graph().warm(pool) : warm_beside();
    }
    // A context on one thread: kernels are made ready in the order of their steps, while the first run computes.
    void warm_beside() {
        try {
            warming = std::async(std::launch::async, [own = program] {
                ThreadPool alone(1);
                static_cast<const CompiledGraph&>(*own).warm(alone);
            });
        } catch (const std::system_error&) {  // there is no thread for it: each is made when it is met
        }
    }
    std::shared_ptr<const Program> program;
    std::future<void> warming;
    const CompiledGraph& graph() const { return static_cast<const CompiledGraph&>(*program); }
};

Session::Session(std::shared_ptr<const Program> program, ThreadPool& pool) : state_(std::make_unique<State>(std::move(program), pool)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;

void Session::run_frame(size_t input_count, const std::vector<Dims>& shapes, const std::function<void(Frame&, size_t)>& set_input,
                        const std::function<void(Frame&, size_t)>& get_output) {
    const CompiledGraph& graph = state_->graph();
    if (input_count != graph.input_names().size())
        throw bad_input("the model takes {} inputs, got {}", graph.input_names().size(), input_count);
    const FloatEnvironment environment;
    const PlannedRun planned(*state_->memory, shapes);
    Frame frame(graph, *state_);
    for (size_t i = 0; i < input_count; ++i) set_input(frame, i);
    frame.run();
    ++state_->runs;
    for (size_t i = 0; i < graph.output_names().size(); ++i) get_output(frame, i);
}

std::vector<Tensor> Session::run(std::span<const Tensor> inputs) {
    std::vector<Dims> shapes;
    for (const Tensor& input : inputs) shapes.push_back(input.dims);
    std::vector<Tensor> outputs;
    run_frame(
        inputs.size(), shapes, [&](Frame& frame, size_t i) { frame.set_input(i, inputs[i]); },
        [&](Frame& frame, size_t i) { outputs.push_back(frame.output(i)); });
    return outputs;
}

std::vector<Stored> Session::run_stored(std::span<const Stored> inputs) {
    std::vector<Dims> shapes;
    for (const Stored& input : inputs) shapes.push_back(input.tensor.dims);
    std::vector<Stored> outputs;
    run_frame(
        inputs.size(), shapes, [&](Frame& frame, size_t i) { frame.set_stored(i, inputs[i]); },
        [&](Frame& frame, size_t i) { outputs.push_back(frame.stored(i)); });
    return outputs;
}

void Session::set_observer(Observer observer, bool any_order) {
    if (observer && !state_->graph().options().observable) throw bug("observer of a program that is not observable");
    state_->observer = std::move(observer);
    state_->any_order = any_order;
}

void Session::set_timing(bool on) { state_->timing = on; }

std::vector<StepTime> Session::step_times() const {
    std::vector<StepTime> all;
    for (const auto& [step, time] : state_->times) {
        StepTime line = time;
        line.node = step->path + step->first().name;
        line.op = step->first().op->name;
        line.kernel = step->kernel_name();
        all.push_back(std::move(line));
    }
    return all;
}

std::vector<MemoryLayout> Session::layouts() const { return state_->memory->layouts(); }

uint64_t Session::arena_bytes() const { return state_->memory->held_bytes(); }

const Program& Session::program() const { return *state_->program; }

}  // namespace quern
