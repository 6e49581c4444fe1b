#include "libcore/opencl/session.h"

#ifdef QUERN_CLBLAST
#include <clblast_c.h>
#endif

#include <algorithm>
#include <cstring>

#include "libcore/opencl/lowering.h"

namespace quern::opencl {
namespace {

constexpr size_t slot_alignment = 64;

// Where values that are alive at the same time do not overlap: slots, each for one value after the other.
struct Life {
    size_t first = SIZE_MAX, last = 0;
};

std::vector<Life> lives_of(const Program& program) {
    std::vector<Life> lives(program.buffers.size());
    for (size_t i = 0; i < program.steps.size(); ++i)
        for (const int32_t buffer : program.steps[i].buffers) {
            Life& life = lives[static_cast<size_t>(buffer)];
            life.first = std::min(life.first, i);
            life.last = std::max(life.last, i);
        }
    return lives;
}

}  // namespace

Loaded::Loaded(Device& on, Net from, Tuning& tuning) : device(on), net(std::move(from)), program(lower(net, on.found().abilities)) {
    plan();
    upload();
    for (const Step& step : program.steps) local_sizes.push_back(tuning.local_size(step));
    if (!tuning.measures()) return;
    Run run(*this, true);
    bool measured = false;
    for (size_t i = 0; i < program.steps.size(); ++i) {
        if (tuning.has(program.steps[i])) {
            local_sizes[i] = tuning.local_size(program.steps[i]);
            continue;
        }
        double best = 0;
        size_t chosen = local_sizes[i];
        for (const size_t size : local_size_choices)
            if (const auto seconds = run.time_of(i, size); seconds && (best == 0 || *seconds < best)) best = *seconds, chosen = size;
        tuning.set(program.steps[i], local_sizes[i] = chosen);
        measured = true;
    }
    if (measured) tuning.save();
}

void Loaded::plan() {
    const std::vector<Life> lives = lives_of(program);
    slots.assign(program.buffers.size(), SIZE_MAX);
    std::vector<size_t> free_from;  // of each slot: the first step at which it is free
    std::vector<size_t> order;
    for (size_t i = 0; i < program.buffers.size(); ++i)
        if (program.buffers[i].place != Place::constant) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](size_t i) { return lives[i].first; });
    for (const size_t i : order) {
        const size_t bytes = (program.buffers[i].bytes + slot_alignment - 1) / slot_alignment * slot_alignment;
        size_t slot = slot_bytes.size();
        if (program.buffers[i].place == Place::temporary)
            for (size_t s = 0; s < slot_bytes.size(); ++s)
                if (free_from[s] <= lives[i].first && (slot == slot_bytes.size() || slot_bytes[s] > slot_bytes[slot])) slot = s;
        if (slot == slot_bytes.size()) slot_bytes.push_back(0), free_from.push_back(0);
        slot_bytes[slot] = std::max(slot_bytes[slot], bytes);
        free_from[slot] = program.buffers[i].place == Place::temporary ? lives[i].last + 1 : SIZE_MAX;
        slots[i] = slot;
    }
}

void Loaded::upload() {
    const Queue queue = device.queue(false);
    constants.resize(program.buffers.size());
    std::vector<bool> read(program.buffers.size());
    for (const Step& step : program.steps)
        for (const int32_t buffer : step.buffers) read[static_cast<size_t>(buffer)] = true;
    for (const int32_t buffer : program.outputs) read[static_cast<size_t>(buffer)] = true;
    const auto put = [&](const Memory& to, const void* data, size_t bytes) {
        if (bytes > 0)
            check(clEnqueueWriteBuffer(queue.get(), to.get(), CL_TRUE, 0, bytes, data, 0, nullptr, nullptr), "writing constants");
    };
    for (size_t i = 0; i < program.buffers.size(); ++i) {
        if (program.buffers[i].place != Place::constant || !read[i]) continue;
        const std::vector<std::byte> bytes = program.buffers[i].make();
        if (bytes.size() != program.buffers[i].bytes)
            throw broken("a constant has {} bytes, need {}", bytes.size(), program.buffers[i].bytes);
        constants[i] = device.memory(bytes.size());
        put(constants[i], bytes.data(), bytes.size());
    }
    std::vector<int32_t> all;
    for (const Step& step : program.steps) {
        numbers_from.push_back(all.size());
        all.insert(all.end(), step.numbers.begin(), step.numbers.end());
    }
    numbers = device.memory(all.size() * sizeof(int32_t));
    put(numbers, all.data(), all.size() * sizeof(int32_t));
}

// ---- runs ----

Run::Run(const Loaded& from, bool profiling) : from_(from), profiling_(profiling), queue_(from.device.queue(profiling)) {
    for (const size_t bytes : from.slot_bytes) slots_.push_back(from.device.memory(bytes));
    kernels_.resize(from.program.steps.size());
    for (size_t i = 0; i < kernels_.size(); ++i)
        if (!from.program.steps[i].blas) bind(i);
    inputs_.resize(from.program.inputs.size());
    linked_.resize(inputs_.size());
    targets_.resize(from.program.outputs.size());
    kept_.resize(targets_.size());
    own_.resize(targets_.size());
    times_.resize(kernels_.size() + 1);
}

cl_mem Run::memory_of(int32_t buffer) const {
    const auto i = static_cast<size_t>(buffer);
    for (size_t k = 0; k < linked_.size(); ++k)
        if (linked_[k] && from_.program.inputs[k] == buffer) return linked_[k].get();
    return from_.program.buffers[i].place == Place::constant ? from_.constants[i].get() : slots_[from_.slots[i]].get();
}

void Run::bind(size_t index) {
    const Step& step = from_.program.steps[index];
    kernels_[index] = from_.device.kernel(step.family, step.options);
    const cl_kernel kernel = kernels_[index].get();
    cl_uint at = 0;
    const auto give = [&](cl_mem memory) { check(clSetKernelArg(kernel, at++, sizeof(cl_mem), &memory), step.family); };
    for (const int32_t buffer : step.buffers) give(memory_of(buffer));
    give(from_.numbers.get());
    const auto first = static_cast<cl_int>(from_.numbers_from[index]);
    check(clSetKernelArg(kernel, at, sizeof first, &first), step.family);
}

void Run::set_input(size_t index, const quern_buffer& buffer) {
    if (index >= inputs_.size()) throw misused("input {} of {}", index, inputs_.size());
    const Value& value = from_.net.values[static_cast<size_t>(from_.net.inputs[index])];
    const quern_dtype wanted = value.encoding ? value.encoding->storage : value.dtype;
    const Dims dims = buffer.rank > 0 ? Dims(buffer.dims, buffer.dims + buffer.rank) : Dims();
    if (buffer.dtype != wanted || dims != value.dims)
        throw broken("input {} \"{}\" is {}{}, need {}{}", index, value.name, name_of(buffer.dtype), text_of(dims), name_of(wanted),
                     text_of(value.dims));
    if (buffer.size != bytes_of(wanted, count_of(dims))) throw broken("input {} \"{}\" has {} bytes", index, value.name, buffer.size);
    static const char nothing = 0;
    if (!buffer.data && buffer.size > 0) throw broken("input {} \"{}\" has no data", index, value.name);
    inputs_[index] = buffer.data ? buffer.data : &nothing;
}

void Run::set_output(size_t index, const quern_buffer& buffer) {
    if (index >= targets_.size()) throw misused("output {} of {}", index, targets_.size());
    targets_[index] = {buffer.data, buffer.size};
}

bool Run::link_input(size_t index, const Run& from, size_t output) {
    if (index >= inputs_.size() || output >= from.targets_.size())
        throw misused("input {} of {}, output {} of {}", index, inputs_.size(), output, from.targets_.size());
    const Value &own = from_.net.values[static_cast<size_t>(from_.net.inputs[index])],
                &other = from.from_.net.values[static_cast<size_t>(from.from_.net.outputs[output])];
    if (&from_.device != &from.from_.device || own.dtype != other.dtype || own.dims != other.dims || own.encoding != other.encoding)
        return false;
    cl_mem memory = from.memory_of(from.from_.program.outputs[output]);
    check(clRetainMemObject(memory), "sharing");
    linked_[index] = Memory(memory);
    const int32_t buffer = from_.program.inputs[index];
    for (size_t i = 0; i < kernels_.size(); ++i)
        if (const Step& step = from_.program.steps[i]; !step.blas && std::ranges::find(step.buffers, buffer) != step.buffers.end()) bind(i);
    return true;
}

void Run::keep_output(size_t index) {
    if (index >= kept_.size()) throw misused("output {} of {}", index, kept_.size());
    kept_[index] = true;
}

Event Run::start(size_t index, size_t local_size) {
    const Step& step = from_.program.steps[index];
    const std::array<size_t, 3> local{local_size, 1, 1};
    const std::array<size_t, 3> global{(step.items[0] + local_size - 1) / local_size * local_size, step.items[1], step.items[2]};
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue_.get(), kernels_[index].get(), 3, nullptr, global.data(), local.data(), 0, nullptr,
                                 profiling_ ? &event : nullptr),
          fmt::format("kernel {} of \"{}\"", step.family, step.node));
    return Event(event);
}

Event Run::multiply(size_t index) {
#ifdef QUERN_CLBLAST
    const Step& step = from_.program.steps[index];
    const BlasProduct& p = *step.blas;
    const auto memory = [&](size_t at) { return memory_of(step.buffers[at]); };
    cl_command_queue queue = queue_.get();
    cl_event event = nullptr;
    for (size_t i = 0; i < p.count; ++i) {
        if (event) clReleaseEvent(std::exchange(event, nullptr));
        const auto status =
            CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, p.transposed_b ? CLBlastTransposeYes : CLBlastTransposeNo, p.m, p.n,
                         p.k, p.alpha, memory(1), i * p.steps[0], p.k, memory(2), i * p.steps[1], p.transposed_b ? p.k : p.n, 0.0f,
                         memory(0), i * p.steps[2], p.n, &queue, profiling_ ? &event : nullptr);
        check(static_cast<cl_int>(status), fmt::format("CLBlast's product of \"{}\"", step.node));
    }
    return Event(event);
#else
    throw Failure(QUERN_INTERNAL, fmt::format("step {} wants CLBlast, which is not here", index));
#endif
}

namespace {

// Seconds on the device of what has ended.
double seconds_of(const Event& event) {
    cl_ulong start = 0, end = 0;
    clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr);
    clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    return end > start ? static_cast<double>(end - start) * 1e-9 : 0;
}

// Nothing that reads or writes the caller's memory is left behind, whatever ends the run.
struct Drained {
    cl_command_queue queue;
    ~Drained() { clFinish(queue); }
};

}  // namespace

std::optional<double> Run::time_of(size_t step, size_t local_size) {
    const Step& what = from_.program.steps[step];
    if (what.blas || what.items[0] * what.items[1] * what.items[2] == 0) return std::nullopt;
    size_t max = 0;
    clGetKernelWorkGroupInfo(kernels_[step].get(), from_.device.found().id, CL_KERNEL_WORK_GROUP_SIZE, sizeof max, &max, nullptr);
    if (local_size > max) return std::nullopt;
    double best = 0;
    for (int i = 0; i < 4; ++i) {  // the first compiles, on some devices
        const Event event = start(step, local_size);
        check(clFinish(queue_.get()), "measuring");
        if (i == 1 || (i > 1 && seconds_of(event) < best)) best = seconds_of(event);
    }
    return best;
}

void Run::write_inputs(Timed& timed) {
    const Program& program = from_.program;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        const size_t bytes = program.buffers[static_cast<size_t>(program.inputs[i])].bytes;
        cl_event event = nullptr;
        if (bytes == 0 || linked_[i]) continue;
        check(clEnqueueWriteBuffer(queue_.get(), memory_of(program.inputs[i]), CL_FALSE, 0, bytes, inputs_[i], 0, nullptr,
                                   profiling_ ? &event : nullptr),
              "writing an input");
        timed.emplace_back(times_.size() - 1, Event(event));
    }
    static const cl_int no_failure = 0;
    if (program.flag >= 0)
        check(clEnqueueWriteBuffer(queue_.get(), memory_of(program.flag), CL_FALSE, 0, sizeof no_failure, &no_failure, 0, nullptr, nullptr),
              "writing");
}

void Run::read_outputs(Timed& timed) {
    const Program& program = from_.program;
    for (size_t i = 0; i < targets_.size(); ++i) {
        const size_t bytes = program.buffers[static_cast<size_t>(program.outputs[i])].bytes;
        if (kept_[i]) continue;
        if (!targets_[i].data) own_[i].resize(bytes);
        void* to = targets_[i].data ? targets_[i].data : own_[i].data();
        cl_event event = nullptr;
        if (bytes == 0) continue;
        check(clEnqueueReadBuffer(queue_.get(), memory_of(program.outputs[i]), CL_FALSE, 0, bytes, to, 0, nullptr,
                                  profiling_ ? &event : nullptr),
              "reading an output");
        timed.emplace_back(times_.size() - 1, Event(event));
    }
    if (program.flag >= 0)
        check(clEnqueueReadBuffer(queue_.get(), memory_of(program.flag), CL_FALSE, 0, sizeof failed_, &failed_, 0, nullptr, nullptr),
              "reading");
}

void Run::execute() {
    const Program& program = from_.program;
    for (size_t i = 0; i < inputs_.size(); ++i)
        if (!inputs_[i] && !linked_[i]) throw misused("input {} is not set", i);
    for (size_t i = 0; i < targets_.size(); ++i)
        if (const size_t bytes = program.buffers[static_cast<size_t>(program.outputs[i])].bytes;
            targets_[i].data && targets_[i].room < bytes)
            throw broken("output {} has {} bytes of room, need {}", i, targets_[i].room, bytes);
    failed_ = 0;
    Timed timed;
    const Drained drained{queue_.get()};
    write_inputs(timed);
    for (size_t i = 0; i < program.steps.size(); ++i) {
        const auto& items = program.steps[i].items;
        if (items[0] * items[1] * items[2] == 0) continue;
        timed.emplace_back(i, program.steps[i].blas ? multiply(i) : start(i, from_.local_sizes[i]));
    }
    read_outputs(timed);
    check(clFinish(queue_.get()), "running");
    if (profiling_)
        for (const auto& [index, event] : timed)
            if (event) times_[index].seconds += seconds_of(event), ++times_[index].calls;
    if (failed_ != 0) throw broken("an index of a Gather is out of range");
    executed_ = true;
}

quern_buffer Run::output(size_t index) const {
    if (index >= targets_.size()) throw misused("output {} of {}", index, targets_.size());
    if (!executed_) throw misused("output {} is not there before an execution", index);
    const Value& value = from_.net.values[static_cast<size_t>(from_.net.outputs[index])];
    quern_buffer out{};
    out.struct_size = sizeof out;
    out.dtype = value.encoding ? value.encoding->storage : value.dtype;
    out.rank = static_cast<int32_t>(value.dims.size());
    out.dims = value.dims.data();
    out.data = targets_[index].data ? targets_[index].data : const_cast<std::byte*>(own_[index].data());
    out.size = bytes_of(out.dtype, count_of(value.dims));
    return out;
}

uint64_t Run::bytes() const {
    uint64_t all = 0;
    for (const size_t bytes : from_.slot_bytes) all += bytes;
    return all;
}

}  // namespace quern::opencl
