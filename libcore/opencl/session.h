// A program on a device: what all its runs share, and the buffers and kernels of one caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/opencl/device.h"
#include "libcore/opencl/net.h"
#include "libcore/opencl/tuning.h"

namespace quern::opencl {

// Constants and numbers of kernels, on the device.
class Loaded {
   public:
    Loaded(Device& device, Net net, Tuning& tuning);

    Device& device;
    const Net net;
    const Program program;
    std::vector<Memory> constants;     // by buffer; none for others
    std::vector<size_t> numbers_from;  // of each step: its first number
    Memory numbers;
    std::vector<size_t> local_sizes;  // of each step
    std::vector<size_t> slots;        // of each buffer that is not constant: where it lies
    std::vector<size_t> slot_bytes;

   private:
    void plan();
    void upload();
};

class Run {
   public:
    Run(const Loaded& from, bool profiling);

    void set_input(size_t index, const quern_buffer& buffer);
    void set_output(size_t index, const quern_buffer& buffer);
    // The input is the other's output, where it lies. False: that is of another kind, or of another device.
    bool link_input(size_t index, const Run& from, size_t output);
    void keep_output(size_t index);
    void execute();
    quern_buffer output(size_t index) const;
    uint64_t bytes() const;

    struct Time {
        double seconds = 0;
        uint64_t calls = 0;
    };
    const std::vector<Time>& times() const { return times_; }  // of each step, the transfers last
    // Seconds of one step by a local size; nullopt if the device does not take it.
    std::optional<double> time_of(size_t step, size_t local_size);

   private:
    struct Target {
        void* data = nullptr;
        size_t room = 0;
    };
    void bind(size_t step);
    Event start(size_t step, size_t local_size);
    Event multiply(size_t step);
    cl_mem memory_of(int32_t buffer) const;
    using Timed = std::vector<std::pair<size_t, Event>>;  // a place of times_, and what took the time
    void write_inputs(Timed& timed);
    void read_outputs(Timed& timed);

    const Loaded& from_;
    bool profiling_;
    Queue queue_;
    std::vector<Memory> slots_;
    std::vector<Kernel> kernels_;
    std::vector<const void*> inputs_;
    std::vector<Memory> linked_;  // by input: where another session has it
    std::vector<bool> kept_;      // by output: it is not read back
    std::vector<Target> targets_;
    std::vector<std::vector<std::byte>> own_;  // outputs that the caller has no memory for
    std::vector<Time> times_;
    cl_int failed_ = 0;
    bool executed_ = false;
};

}  // namespace quern::opencl
