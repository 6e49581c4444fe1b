// Interpreter: runs the steps of a compiled graph over a frame of tensors, one per value.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "libcore/exec/carried.h"
#include "libcore/exec/program.h"
#include "libcore/memory/memory.h"

namespace quern {

// What the runs of one session share.
struct RunState {
    ThreadPool& pool;
    std::shared_ptr<Memory> memory = Memory::make();
    Observer observer;
    bool any_order = false;  // the observer does not mind in which order elements come
    bool timing = false;
    std::map<const Step*, StepTime> times;
    uint64_t runs = 0;
    CarriedStates carried = {};
};

// One tensor per value of `graph`: logical numbers, or codes where the graph encodes the value and the mode is integer.
class Frame {
   public:
    Frame(const CompiledGraph& graph, RunState& state);

    void set_input(size_t index, Tensor tensor);  // logical dtype
    void set_stored(size_t index, Stored stored);
    void bind(ValueId id, Tensor tensor, const Encoding* encoding);  // a capture, as the enclosing frame holds it
    void run();
    Tensor output(size_t index) const;  // logical dtype
    Stored stored(size_t index) const;

    // Row-major; what a kernel left in a layout of its own is converted first.
    const Tensor& held(ValueId id) const;

   private:
    friend class StepCtx;
    friend class KernelStepCtx;
    void run_step(const Step& step);
    void run_reference(const Step& step);
    void look_up(const Step& step);
    void check_codes(const Step& step);
    bool can_use_kernel(const Step& step) const;
    void store(ValueId id, Tensor tensor);  // logical numbers, encoded if need be
    void observe(const Step& step);
    bool is_tensor(ValueId id) const;
    uint64_t value_bytes(ValueId id) const;  // that it holds, as it lies
    Tensor logical(ValueId id) const;
    // How the value is held, nullptr if as real numbers. A dynamic one has the scale that this run gave it.
    const Encoding* encoding(ValueId id) const;

    const CompiledGraph& graph_;
    RunState& state_;
    mutable std::vector<Tensor> slots_;
    std::vector<std::shared_ptr<const Packed>> packed_;  // values in a kernel library's layout
    std::map<ValueId, Encoding> grids_;                  // of values with a dynamic encoding
};

}  // namespace quern
