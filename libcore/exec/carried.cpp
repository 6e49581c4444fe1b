#include "libcore/exec/carried.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "libcore/base/memory_limit.h"

namespace quern {

const CarriedStates::State* CarriedStates::at_input(size_t input) const {
    const auto found = std::ranges::find(states_, input, &State::input);
    return found == states_.end() ? nullptr : &*found;
}

CarriedStates::State& CarriedStates::need(size_t input) {
    const State* state = at_input(input);
    if (!state) throw usage_error("input {} is not carried from run to run", input);
    return const_cast<State&>(*state);
}

CarriedStates::State& CarriedStates::made(size_t input, size_t output) {
    State& state = at_input(input) ? need(input) : states_.emplace_back();
    state = {input, output, {}, nullptr};
    std::erase_if(memory_, [&](const Buffer& memory) {  // of what somebody else has by now, too
        return std::ranges::none_of(states_, [&](const State& own) { return own.value.tensor.data.data() == memory.data.get(); });
    });
    return state;
}

void CarriedStates::set(size_t input, size_t output, Stored first) { made(input, output).value = std::move(first); }

void CarriedStates::set_zeros(size_t input, size_t output, DType dtype, const Dims& dims) {
    State& state = made(input, output);
    const Buffer memory = new_memory(storage_size(dtype, static_cast<uint64_t>(count_of(dims))));
    std::memset(memory.data.get(), 0, memory.size);
    state.value = {{dtype, dims, memory.freeze()}, std::nullopt};
}

bool CarriedStates::has_output(size_t output) const {
    return std::ranges::any_of(states_, [&](const State& state) { return state.output == output; });
}

const Stored& CarriedStates::value(size_t input) const {
    const State* state = at_input(input);
    if (!state || !state->value.tensor.defined())
        throw usage_error("input {} is {}", input, state ? "lost: the run that changed it has failed" : "not carried from run to run");
    return state->value;
}

Stored CarriedStates::hand_out(size_t input) {
    value(input);
    State& state = need(input);
    state.handed = state.value.tensor.data.data();
    return std::exchange(state.value, {});
}

void CarriedStates::keep(size_t output, const Stored& value) {
    for (State& state : states_)
        if (state.output == output) {
            state.value = value;
            state.handed = nullptr;
        }
    drop_unused();
}

bool CarriedStates::handed_out(const Tensor& tensor) const {
    return !tensor.data.empty() && std::ranges::any_of(states_, [&](const State& state) { return state.handed == tensor.data.data(); });
}

Buffer CarriedStates::own(const Tensor& tensor, bool dies) {
    const auto found = std::ranges::find_if(
        memory_, [&](const Buffer& memory) { return memory.data.get() == tensor.data.data() && memory.size == tensor.data.size(); });
    const bool alone = found != memory_.end() && found->data.use_count() == 2;  // this and the tensor
    if (dies && alone) return *found;
    Buffer copy = new_memory(tensor.data.size());
    std::memcpy(copy.data.get(), tensor.data.data(), copy.size);
    return copy;
}

Buffer CarriedStates::new_memory(size_t size) {
    if (!surely_fits(size)) need_memory(size, "a state");
    return memory_.emplace_back(new_buffer(size));
}

// Memory that nobody holds any more.
void CarriedStates::drop_unused() {
    std::erase_if(memory_, [](const Buffer& memory) { return memory.data.use_count() == 1; });
}

}  // namespace quern
