// Running a graph: Program (compiled, immutable, shared), Session (memory and state of one caller).
//
//     const auto program = Program::compile(graph, {.mode = Mode::floating});
//     Session session(program, pool);
//     const std::vector<Tensor> outputs = session.run(inputs);
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "libcore/exec/types.h"
#include "libcore/os/threads.h"

namespace quern {

struct MemoryLayout;
class Frame;

class Session {
   public:
    // `pool` serves the kernels of this session and must outlive it. Sessions of one program may run at the same time.
    Session(std::shared_ptr<const Program> program, ThreadPool& pool);
    ~Session();
    Session(Session&&) noexcept;

    // Inputs in the order of input_names(), logical dtype, concrete shapes. Outputs own their memory. What is carried may be undefined
    // among the inputs, and is among the outputs.
    std::vector<Tensor> run(std::span<const Tensor> inputs);
    // The same without a change of form: codes that are encoded as the graph wants them are taken as they are, and encoded outputs of
    // integer runs are given as codes.
    std::vector<Stored> run_stored(std::span<const Stored> inputs);

    // State that runs hand on: input `input` begins as `first`, or as zeros of `dims`, and from then on is what output `output` was in the
    // run before. It stays in the session, whose kernels change it where it lies as long as nobody else holds it: a caller that keeps
    // state() through a run makes that run copy it. A defined tensor among the inputs of a run takes its place. A run that fails loses the
    // states, which must be carried anew. Throws Exit::usage if there is no such input or output.
    void carry(size_t input, size_t output, Tensor first);
    void carry(size_t input, size_t output, const Dims& dims);
    Stored state(size_t input) const;  // what the next run begins with

    // Needs CompileOptions::observable. With `any_order` the elements of a tensor may come in any order, which saves moving them.
    void set_observer(Observer observer, bool any_order = false);
    void set_timing(bool on);
    // Random operators without a seed draw by the number of their run: the next one has this.
    void number_run(uint64_t number);
    std::vector<StepTime> step_times() const;
    uint64_t arena_bytes() const;  // of the plan used last
    std::vector<MemoryLayout> layouts() const;
    const Program& program() const;

   private:
    void check_carried(size_t input, size_t output) const;
    const Dims& dims_of(size_t i, const Tensor& input) const;
    void begin_with(Frame& frame, size_t i, const Stored& input);
    void run_frame(size_t input_count, const std::vector<Dims>& shapes, const std::function<void(Frame&, size_t)>& set_input,
                   const std::function<void(Frame&, size_t)>& get_output);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace quern
