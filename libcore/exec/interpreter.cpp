#include "libcore/exec/interpreter.h"

#include <chrono>

#include "libcore/base/text.h"
#include "libcore/exec/step_ctx.h"

namespace quern {
namespace {

void check_input(const Value& value, const Tensor& tensor) {
    const Type& type = value.type;
    if (type.dtype != DType::none && tensor.dtype != type.dtype)
        throw bad_input("input \"{}\" is {}, need {}", escape(value.name), name_of(tensor.dtype), name_of(type.dtype));
    if (!type.shape.ranked) return;
    bool fits = tensor.dims.size() == type.shape.rank();
    for (size_t i = 0; fits && i < tensor.dims.size(); ++i)
        fits = !type.shape.dims[i].known() || type.shape.dims[i].value == tensor.dims[i];
    if (!fits) throw bad_input("input \"{}\" is {}, need {}", escape(value.name), to_string(tensor.dims), to_string(type));
}

}  // namespace

Frame::Frame(const CompiledGraph& graph, RunState& state) : graph_(graph), state_(state), slots_(graph.graph().value_count()) {
    for (const auto& [id, tensor] : graph.constants()) slots_[index_of(id)] = tensor;
}

void Frame::store(ValueId id, Tensor tensor) {
    const auto& encoding = graph_.graph().value(id).enc;
    const Mode mode = graph_.options().mode;
    if (encoding && mode != Mode::floating) {
        const bool dynamic = encoding->kind == Encoding::Kind::dynamic;  // its codes are held as the real numbers they stand for
        const Encoding grid = dynamic ? dynamic_encoding(tensor, *encoding) : *encoding;
        tensor = quantize(tensor, grid);
        if (mode == Mode::fake || dynamic) tensor = dequantize(tensor, grid);
    }
    slots_[index_of(id)] = std::move(tensor);
}

Tensor Frame::logical(ValueId id) const {
    const Tensor& held = slots_[index_of(id)];
    return graph_.encoded(id) ? dequantize(held, *graph_.graph().value(id).enc) : held;
}

void Frame::set_input(size_t index, Tensor tensor) {
    const ValueId id = graph_.graph().inputs[index];
    if (graph_.path().empty()) check_input(graph_.graph().value(id), tensor);
    store(id, std::move(tensor));
    if (state_.observer) state_.observer(graph_.path() + graph_.graph().value(id).name, logical(id));
}

void Frame::bind(ValueId id, Tensor tensor, const Encoding* encoding) {
    const auto& own = graph_.graph().value(id).enc;
    if (encoding && graph_.encoded(id) && *encoding == *own) {
        slots_[index_of(id)] = std::move(tensor);
        return;
    }
    store(id, encoding ? dequantize(tensor, *encoding) : std::move(tensor));
}

Tensor Frame::output(size_t index) const { return logical(graph_.graph().outputs[index]); }

void Frame::observe(const Step& step) {
    if (!state_.observer) return;
    for (const ValueId id : step.node->out)
        if (id != ValueId::none && held(id).defined()) state_.observer(step.path + graph_.graph().value(id).name, logical(id));
}

void Frame::run_step(const Step& step) {
    at_place(fmt::format("node \"{}\" ({})", escape(step.path + step.node->name), step.node->op->name), [&] {
        StepCtx ctx(*this, step);
        ctx.run();
    });
    observe(step);
    for (const ValueId id : step.dies) slots_[index_of(id)] = {};
}

void Frame::run() {
    using Clock = std::chrono::steady_clock;
    for (const Step& step : graph_.steps()) {
        if (!state_.profiling) {
            run_step(step);
            continue;
        }
        const auto start = Clock::now();
        run_step(step);
        StepTime& time = state_.times[&step];
        time.seconds += std::chrono::duration<double>(Clock::now() - start).count();
        ++time.calls;
    }
}

}  // namespace quern
