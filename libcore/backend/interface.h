// Devices, executables and sessions of back ends as the host sees them, wherever they run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/exec/types.h"

namespace quern {

struct DeviceInfo {
    std::string name, doc;
    uint64_t memory_bytes = 0;  // 0: not known
    bool simulated = false;
};

struct Port {
    std::string name;
    Type type;
    std::optional<Encoding> encoding;  // how it crosses the border; none: as numbers
};

struct LaneOptions {
    int threads = 1;
    bool timing = false;
    bool guarded = false;  // outside back ends: what they write beside their outputs, to inputs and to the blob is an error
};

// One caller's state of an executable.
class BackendSession {
   public:
    virtual ~BackendSession() = default;
    // Inputs fit Executable::inputs(): numbers are encoded and codes decoded where the port wants the other. Outputs own their memory.
    virtual std::vector<Stored> run(std::span<const Stored> inputs) = 0;
    // The same in two steps; `inputs` must live until finish(). Nothing else may be called in between.
    virtual void start(std::span<const Stored> inputs) = 0;
    virtual std::vector<Stored> finish() = 0;
    // Where a back end can leave values on its device: input `index` is from now on what `from` has as that output after its last run, and
    // what run() gets for it is not looked at. False: it is not. It is not run again after that was destroyed.
    virtual bool link_input(size_t, BackendSession&, size_t) { return false; }
    // From now on linked inputs alone read the output: run() gives an empty tensor for it.
    virtual void keep_output(size_t) {}
    virtual void set_timing(bool on) = 0;  // times of runs while it is off are not counted
    virtual std::vector<StepTime> step_times() = 0;
    virtual uint64_t memory_bytes() = 0;
};

class Executable {
   public:
    virtual ~Executable() = default;
    virtual const std::vector<Port>& inputs() const = 0;
    virtual const std::vector<Port>& outputs() const = 0;
    virtual std::vector<Choice> choices() = 0;
    // The session keeps the executable alive.
    virtual std::unique_ptr<BackendSession> open(const LaneOptions& options) = 0;
};

// Throws Exit::unsupported if an output is of another type or shape than the port.
void check_fits(const Stored& out, const Port& port);

// `tensor` in the form that `port` has. Throws Exit::bad_input.
Stored adapt(Stored stored, const Port& port);

}  // namespace quern
