#include "libcore/exec/session.h"

#include <exception>
#include <future>
#include <system_error>

#include "libcore/exec/interpreter.h"
#include "libcore/os/float_environment.h"

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
    for (const bool carried : {false, true})  // what is wrong about the others loses no state
        for (size_t i = 0; i < input_count; ++i)
            if (state_->carried.has_input(i) == carried) set_input(frame, i);
    quern::run(frame);
    ++state_->runs;
    for (size_t i = 0; i < graph.output_names().size(); ++i) get_output(frame, i);
}

const Dims& Session::dims_of(size_t i, const Tensor& input) const {
    return !input.defined() && state_->carried.has_input(i) ? state_->carried.value(i).tensor.dims : input.dims;
}

void Session::begin_with(Frame& frame, size_t i, const Stored& input) {
    CarriedStates& carried = state_->carried;
    if (!carried.has_input(i)) return frame.set_stored(i, input);
    if (input.tensor.defined()) carried.replace(i, input);
    frame.set_stored(i, carried.hand_out(i));
}

std::vector<Tensor> Session::run(std::span<const Tensor> inputs) {
    std::vector<Dims> shapes;
    for (size_t i = 0; i < inputs.size(); ++i) shapes.push_back(dims_of(i, inputs[i]));
    std::vector<Tensor> outputs(state_->graph().output_names().size());
    CarriedStates& carried = state_->carried;
    run_frame(
        inputs.size(), shapes,
        [&](Frame& frame, size_t i) {
            carried.has_input(i) ? begin_with(frame, i, {inputs[i], {}}) : frame.set_input(i, inputs[i]);
        },
        [&](Frame& frame, size_t i) { carried.has_output(i) ? carried.keep(i, frame.stored(i)) : void(outputs[i] = frame.output(i)); });
    return outputs;
}

std::vector<Stored> Session::run_stored(std::span<const Stored> inputs) {
    std::vector<Dims> shapes;
    for (size_t i = 0; i < inputs.size(); ++i) shapes.push_back(dims_of(i, inputs[i].tensor));
    std::vector<Stored> outputs(state_->graph().output_names().size());
    CarriedStates& carried = state_->carried;
    run_frame(
        inputs.size(), shapes, [&](Frame& frame, size_t i) { begin_with(frame, i, inputs[i]); },
        [&](Frame& frame, size_t i) { carried.has_output(i) ? carried.keep(i, frame.stored(i)) : void(outputs[i] = frame.stored(i)); });
    return outputs;
}

void Session::check_carried(size_t input, size_t output) const {
    if (input >= state_->graph().input_names().size() || output >= state_->graph().output_names().size())
        throw usage_error("state: the model has {} inputs and {} outputs, not input {} and output {}", state_->graph().input_names().size(),
                          state_->graph().output_names().size(), input, output);
}

void Session::carry(size_t input, size_t output, Tensor first) {
    check_carried(input, output);
    state_->carried.set(input, output, {std::move(first), std::nullopt});
}

void Session::carry(size_t input, size_t output, const Dims& dims) {
    check_carried(input, output);
    state_->carried.set_zeros(input, output, state_->graph().input_types()[input].dtype, dims);
}

Stored Session::state(size_t input) const { return state_->carried.value(input); }

void Session::set_observer(Observer observer, bool any_order) {
    if (observer && !state_->graph().options().observable) throw bug("observer of a program that is not observable");
    state_->observer = std::move(observer);
    state_->any_order = any_order;
}

void Session::set_timing(bool on) { state_->timing = on; }
void Session::number_run(uint64_t number) { state_->runs = number; }

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
