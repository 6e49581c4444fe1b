// Frame: the tensors of one run of a compiled graph, one per value: logical numbers, or codes where the graph encodes the value and the
// mode is integer.
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

class Frame {
   public:
    Frame(const CompiledGraph& graph, RunState& state);

    const CompiledGraph& graph() const { return graph_; }
    RunState& state() const { return state_; }

    void set_input(size_t index, Tensor tensor);  // logical dtype
    void set_stored(size_t index, Stored stored);
    void bind(ValueId id, Tensor tensor, const Encoding* encoding);  // a capture, as the enclosing frame holds it
    Tensor output(size_t index) const;                               // logical dtype
    Stored stored(size_t index) const;

    // Row-major; what a kernel left in a layout of its own is converted first.
    const Tensor& held(ValueId id) const;
    Tensor logical(ValueId id) const;
    // As a kernel left it, in a layout of its own; nullptr: it is plain.
    const std::shared_ptr<const Packed>& packed(ValueId id) const { return packed_[index_of(id)]; }
    const Tensor& plain(ValueId id) const { return slots_[index_of(id)]; }  // undefined where it is only packed
    // How the value is held, nullptr if as real numbers. A dynamic one has the scale that this run gave it.
    const Encoding* encoding(ValueId id) const;
    bool is_tensor(ValueId id) const;
    uint64_t value_bytes(ValueId id) const;  // that it holds, as it lies

    void store(ValueId id, Tensor tensor);                                             // logical numbers, encoded if need be
    void put(ValueId id, Tensor tensor) { slots_[index_of(id)] = std::move(tensor); }  // as it is to be held
    void put(ValueId id, std::shared_ptr<const Packed> packed) { packed_[index_of(id)] = std::move(packed); }
    void set_encoding(ValueId id, Encoding encoding) { grids_[id] = std::move(encoding); }  // of a dynamic one
    void drop(ValueId id);

   private:
    const CompiledGraph& graph_;
    RunState& state_;
    mutable std::vector<Tensor> slots_;
    std::vector<std::shared_ptr<const Packed>> packed_;  // values in a kernel library's layout
    std::map<ValueId, Encoding> grids_;                  // of values with a dynamic encoding
};

}  // namespace quern
