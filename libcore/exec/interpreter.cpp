#include "libcore/exec/interpreter.h"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

#include "libcore/base/text.h"
#include "libcore/exec/kernel_ctx.h"
#include "libcore/exec/recorder.h"
#include "libcore/exec/step_ctx.h"
#include "libcore/kernels/refusal.h"
#include "libcore/os/clock.h"

namespace quern {
namespace {

// Memory that the limit lets pass and the system has not is an error of the node, too.
template <class Fn>
void at_node(const std::string& path, const Node& node, const Fn& fn) {
    at_place([&] { return fmt::format("node \"{}\" ({})", escape(path + node.name), escape(node.op->name)); },
             [&] {
                 try {
                     fn();
                 } catch (const std::bad_alloc&) {
                     throw unsupported("there is not enough memory for it");
                 } catch (const std::length_error&) {
                     throw unsupported("there is not enough memory for it");
                 }
             });
}

// With the bodies of its node.
class NodeCtx : public StepCtx {
   public:
    using StepCtx::StepCtx;
    std::vector<Tensor> run_body(size_t b, std::span<const Tensor> inputs) override {
        const CompiledGraph& body = *step().bodies.at(b);
        Frame inner(body, frame().state());
        if (inputs.size() != body.graph().inputs.size())
            throw bad_input("body \"{}\" takes {} inputs, got {}", node().body_names[b], body.graph().inputs.size(), inputs.size());
        for (size_t i = 0; i < inputs.size(); ++i) inner.set_input(i, inputs[i]);
        for (const Graph::Capture& capture : body.graph().captures)
            inner.bind(capture.inner, frame().held(capture.outer), frame().encoding(capture.outer));
        quern::run(inner);
        std::vector<Tensor> out;
        for (size_t i = 0; i < body.graph().outputs.size(); ++i) out.push_back(inner.output(i));
        return out;
    }
};

void observe(const Frame& frame, const Step& step) {
    const RunState& state = frame.state();
    if (!state.observer) return;
    for (const ValueId id : step.last().out) {
        if (id == ValueId::none || !frame.is_tensor(id)) continue;
        const std::string key = step.path + frame.graph().graph().value(id).name;
        const auto& packed = frame.packed(id);
        if (const Tensor elements = state.any_order && packed ? packed->elements(*state.memory) : Tensor(); elements.defined())
            state.observer(key, elements);
        else if (frame.held(id).defined())
            state.observer(key, frame.logical(id));
    }
}

// Kernel libraries do not take tensors without elements, most kernels neither.
bool can_use_kernel(const Frame& frame, const Step& step) {
    if (!step.kernel) return false;
    return step.kernel->takes_empty() || std::all_of(step.in.begin(), step.in.end(), [&](ValueId id) {
               if (id == ValueId::none || frame.packed(id)) return true;
               const Dims& dims = frame.plain(id).dims;
               return std::find(dims.begin(), dims.end(), 0) == dims.end();
           });
}

// Has a context no numbers for the reference, as the kernel alone holds them?
bool needs_kernel(const Frame& frame, const Step& step) {
    return step.kernel &&
           std::ranges::any_of(step.in, [&](ValueId id) { return id != ValueId::none && is_held(frame.graph().graph().value(id)); });
}

void run_reference(Frame& frame, const Step& step) {
    if (needs_kernel(frame, step))
        throw unsupported("node \"{}\" ({}): a context cannot run it on tensors without elements", escape(step.path + step.first().name),
                          escape(step.first().op->name));
    const std::span nodes(step.nodes.data(), step.unit_out ? 1 : step.nodes.size());  // a unit is one computation
    for (const Node* node : nodes) at_node(step.path, *node, [&] { NodeCtx(frame, step, *node).run(); });
    for (size_t i = 0; i + 1 < step.nodes.size(); ++i) frame.put(step.nodes[i]->out[0], Tensor());
}

// Where tensors of one type and shape differ, in words; "" if nowhere. NaN is NaN, whatever its bits are.
std::string difference(const Tensor& made, std::string_view maker, const Tensor& wanted) {
    if (made.dtype == DType::f32) {
        const auto a = made.view<float>(), b = wanted.view<float>();
        for (size_t i = 0; i < a.size(); ++i)
            if (std::bit_cast<uint32_t>(a[i]) != std::bit_cast<uint32_t>(b[i]) && (a[i] == a[i] || b[i] == b[i]))
                return fmt::format("number {} is {} by {}, {}", i, a[i], maker, b[i]);
        return {};
    }
    const std::byte* end = made.data.data() + made.data.size();
    const auto [a, b] = std::mismatch(made.data.data(), end, wanted.data.data());
    if (a == end) return {};
    return fmt::format("byte {} of the codes is {} by {}, {}", a - made.data.data(), static_cast<int>(*a), maker, static_cast<int>(*b));
}

// What was computed stays, unless the reference computes other codes, or from codes other numbers.
void check_codes(Frame& frame, const Step& step) {
    const bool gives_codes = step.kernel_row == "codes" || (step.kernel_row == "blocks" && step.row);
    if (!step.lookup && !gives_codes) return;
    struct Made {
        ValueId id;
        Tensor tensor;
        std::optional<Encoding> grid;
    };
    std::vector<Made> all;
    for (const ValueId id : step.last().out) {
        if (id == ValueId::none) continue;
        const Encoding* encoding = frame.encoding(id);
        all.push_back({id, frame.held(id), encoding ? std::optional(*encoding) : std::nullopt});
        frame.drop(id);
    }
    run_reference(frame, step);
    const std::string place = fmt::format("node \"{}\"", escape(step.path + step.last().name));
    for (const auto& [id, made, grid] : all) {
        const Tensor& wanted = frame.held(id);
        if (made.dims != wanted.dims || made.dtype != wanted.dtype)
            throw bug("{}: {} gives {}, the reference {}", place, step.kernel_name(), to_string(made.dims), to_string(wanted.dims));
        if (grid && *grid != *frame.encoding(id))
            throw bug("{}: {} gives codes of {}, the reference of {}", place, step.kernel_name(), to_string(*grid),
                      to_string(*frame.encoding(id)));
        if (const std::string what = difference(made, step.kernel_name(), wanted); !what.empty())
            throw bug("{}: {} by the reference", place, what);
    }
}

// Codes stay in the layout that they are in.
void look_up(Frame& frame, const Step& step) {
    const ValueId in = step.lookup->input(), out = step.last().out[0];
    const RunState& state = frame.state();
    if (frame.packed(in)) frame.put(out, frame.packed(in)->looked_up(step.lookup->table(), *state.memory, state.pool));
    if (!frame.packed(out)) frame.put(out, step.lookup->run(frame.held(in), *state.memory, state.pool));
}

void run_kernel(Frame& frame, const Step& step) {
    try {
        at_node(step.path, step.first(), [&] {
            KernelStepCtx ctx(frame, step);
            step.kernel->run(ctx);
        });
    } catch (const KernelRefusal&) {
        if (needs_kernel(frame, step)) throw;
        run_reference(frame, step);
    }
}

void run_step(Frame& frame, const Step& step) {
    if (can_use_kernel(frame, step)) {
        run_kernel(frame, step);
    } else if (step.lookup) {
        look_up(frame, step);
    } else {
        run_reference(frame, step);
    }
    if (frame.graph().options().check_codes) check_codes(frame, step);
    observe(frame, step);
    for (const ValueId id : step.dies) frame.drop(id);
}

}  // namespace

void run(Frame& frame) {
    RunState& state = frame.state();
    StepRecorder* const recorder = state.timing ? StepRecorder::current() : nullptr;
    std::vector<uint64_t> held(recorder ? frame.graph().graph().value_count() : 0);  // bytes of each value
    uint64_t all = 0;
    const auto hold = [&](ValueId id, uint64_t bytes) {
        all += bytes - held[index_of(id)];
        held[index_of(id)] = bytes;
    };
    if (recorder)
        for (const ValueId id : frame.graph().graph().inputs) hold(id, frame.value_bytes(id));
    for (const Step& step : frame.graph().steps()) {
        if (!state.timing) {
            run_step(frame, step);
            continue;
        }
        const double start = steady_seconds();
        run_step(frame, step);
        const double end = steady_seconds();
        StepTime& time = state.times[&step];
        time.seconds += end - start;
        ++time.calls;
        if (!recorder) continue;
        for (const ValueId id : step.last().out)
            if (id != ValueId::none) hold(id, frame.value_bytes(id));
        recorder->add(&step, {.start = start, .end = end, .value_bytes = all, .arena_bytes = state.memory->held_bytes()}, [&] {
            return StepTime{.node = step.path + step.first().name, .op = std::string(step.first().op->name), .kernel = step.kernel_name()};
        });
        for (const ValueId id : step.dies) hold(id, 0);
    }
}

}  // namespace quern
