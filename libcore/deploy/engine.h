// What runs a model, seen by those who do not care which: a session of the whole graph, or of its partitions on back ends.
#pragma once

#include <memory>

#include "libcore/deploy/mixed.h"

namespace quern {

class Engine {
   public:
    virtual ~Engine() = default;
    virtual std::vector<Tensor> run(std::span<const Tensor> inputs) = 0;  // as Session::run
    // The same, encoded outputs as codes where the run has them.
    virtual std::vector<Stored> run_stored(std::span<const Tensor> inputs) = 0;
    // As of Session.
    virtual void carry(size_t input, size_t output, Tensor first) = 0;
    virtual Stored state(size_t input) const = 0;
    virtual void set_timing(bool on) = 0;
    virtual void number_run(uint64_t number) = 0;  // devices number theirs by themselves
    virtual std::vector<StepTime> step_times() const = 0;
    virtual uint64_t arena_bytes() const = 0;
};

// `pool` must outlive it.
std::unique_ptr<Engine> make_engine(std::shared_ptr<const Program> program, ThreadPool& pool);
std::unique_ptr<Engine> make_engine(const std::shared_ptr<const MixedProgram>& program, const LaneOptions& options);

}  // namespace quern
