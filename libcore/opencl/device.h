// OpenCL's devices, and what is kept of one for the whole process: a context and compiled kernels.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/opencl/failure.h"
#include "libcore/opencl/program.h"

namespace quern::opencl {

// Throws Failure (QUERN_IO) with OpenCL's number, which its header names.
void check(cl_int status, std::string_view what);

// An object of OpenCL, released at the end.
template <class T, auto release>
class Held {
   public:
    Held() = default;
    explicit Held(T object) : object_(object) {}
    Held(Held&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Held& operator=(Held&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Held() {
        if (object_) release(object_);
    }
    T get() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }

   private:
    T object_ = nullptr;
};
using Memory = Held<cl_mem, clReleaseMemObject>;
using Kernel = Held<cl_kernel, clReleaseKernel>;
using Queue = Held<cl_command_queue, clReleaseCommandQueue>;
using Event = Held<cl_event, clReleaseEvent>;

struct Found {
    std::string name;  // "gpu0": what a user gives
    std::string doc;   // the device's own name, and its platform's
    std::string driver;
    uint64_t memory = 0, largest_buffer = 0;
    bool cpu = false, dots = false;
    cl_device_id id = nullptr;
    Abilities abilities;
};

// Those of all platforms, GPUs and accelerators first. Empty if there are none.
const std::vector<Found>& found_devices();
// By its name, or a part of its own name that no other has; "": the first. Throws Failure, saying which there are.
const Found& device_named(const std::string& name);

class Device {
   public:
    // The one of this process; its context is made when it is asked for first.
    static Device& of(const Found& found);
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    const Found& found() const { return found_; }
    cl_context context() const { return context_; }
    Queue queue(bool profiling) const;
    Memory memory(size_t bytes) const;
    // A kernel of a text of kernels/, compiled by these options; the program is kept.
    Kernel kernel(std::string_view family, const std::string& options);

   private:
    explicit Device(const Found& found);
    cl_program program(std::string_view family, const std::string& options);

    const Found& found_;
    cl_context context_ = nullptr;
    std::mutex mutex_;
    std::map<std::pair<std::string, std::string>, cl_program> programs_;
};

// The text of a family, with what stands before it. Generated from kernels/*.cl.
std::string_view kernel_text(std::string_view family);

}  // namespace quern::opencl
