// What a session carries from run to run: an input that is what an output was in the run before, in memory that the session owns, so that a
// step can change it where it lies.
#pragma once

#include <vector>

#include "libcore/exec/types.h"
#include "libcore/memory/buffer_pool.h"

namespace quern {

class CarriedStates {
   public:
    // Input `input` begins as `first`; one that is there already begins anew.
    void set(size_t input, size_t output, Stored first);
    void replace(size_t input, Stored value) { need(input).value = std::move(value); }
    // The same as zeros, in memory of the session.
    void set_zeros(size_t input, size_t output, DType dtype, const Dims& dims);

    bool empty() const { return states_.empty(); }
    bool has_input(size_t input) const { return at_input(input) != nullptr; }
    bool has_output(size_t output) const;
    const Stored& value(size_t input) const;  // Exit::usage if it is not carried, or lost by a run that failed

    // A run begins: it has the only reference to the value, unless others hold it, too. What it leaves is handed back by keep().
    Stored hand_out(size_t input);
    void keep(size_t output, const Stored& value);

    // Is it the value of an input that was handed out?
    bool handed_out(const Tensor& tensor) const;
    // Such a tensor's elements in memory that may be changed: its own if `dies` and nobody else holds it, else a copy.
    Buffer own(const Tensor& tensor, bool dies);

   private:
    struct State {
        size_t input = 0, output = 0;
        Stored value;
        const std::byte* handed = nullptr;  // where the value of this run lies
    };
    const State* at_input(size_t input) const;
    State& need(size_t input);
    State& made(size_t input, size_t output);
    Buffer new_memory(size_t size);
    void drop_unused();

    std::vector<State> states_;
    std::vector<Buffer> memory_;  // of values, as far as it is the session's
};

}  // namespace quern
