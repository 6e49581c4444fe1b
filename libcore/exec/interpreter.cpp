#include "libcore/exec/interpreter.h"

#include <algorithm>
#include <bit>
#include <new>
#include <stdexcept>

#include "libcore/base/text.h"
#include "libcore/exec/kernel_ctx.h"
#include "libcore/exec/recorder.h"
#include "libcore/exec/step_ctx.h"
#include "libcore/os/clock.h"

namespace quern {
namespace {

void check_input(const Value& value, const Tensor& tensor, const Encoding* encoding = nullptr) {
    const Type& type = value.type;
    const DType wanted = encoding ? encoding->storage : type.dtype;
    if (wanted != DType::none && tensor.dtype != wanted)
        throw bad_input("input \"{}\" is {}, need {}", escape(value.name), name_of(tensor.dtype), name_of(wanted));
    if (!type.shape.ranked) return;
    bool fits = tensor.dims.size() == type.shape.rank();
    for (size_t i = 0; fits && i < tensor.dims.size(); ++i)
        fits = !type.shape.dims[i].known() || type.shape.dims[i].value == tensor.dims[i];
    if (!fits) throw bad_input("input \"{}\" is {}, need {}", escape(value.name), to_string(tensor.dims), to_string(type));
}

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

}  // namespace

Frame::Frame(const CompiledGraph& graph, RunState& state)
    : graph_(graph), state_(state), slots_(graph.graph().value_count()), packed_(graph.graph().value_count()) {
    for (const auto& [id, tensor] : graph.constants()) slots_[index_of(id)] = tensor;
}

const Tensor& Frame::held(ValueId id) const {
    Tensor& slot = slots_[index_of(id)];
    if (slot.defined()) return slot;
    if (packed_[index_of(id)])
        slot = packed_[index_of(id)]->plain(*state_.memory, state_.pool);
    else if (const Value& value = graph_.graph().value(id); value.constant() && !is_held(value))
        slot = *graph_.graph().constant(id);
    return slot;
}

void Frame::store(ValueId id, Tensor tensor) {
    const auto& encoding = graph_.graph().value(id).enc;
    const Mode mode = graph_.options().mode;
    if (encoding && mode != Mode::floating) {
        const bool dynamic = encoding->is_dynamic();
        const Encoding& grid = dynamic ? grids_[id] = dynamic_encoding(tensor, *encoding) : *encoding;
        tensor = quantize(tensor, grid);
        if (mode == Mode::fake) tensor = dequantize(tensor, grid);
    }
    slots_[index_of(id)] = std::move(tensor);
}

Tensor Frame::logical(ValueId id) const {
    const Tensor& tensor = held(id);
    const Encoding* own = encoding(id);
    return own ? dequantize(tensor, *own) : tensor;
}

const Encoding* Frame::encoding(ValueId id) const {
    if (!graph_.encoded(id)) return nullptr;
    const Encoding& declared = *graph_.graph().value(id).enc;
    return declared.is_fixed() ? &declared : &grids_.at(id);
}

void Frame::set_input(size_t index, Tensor tensor) {
    const ValueId id = graph_.graph().inputs[index];
    if (graph_.path().empty()) check_input(graph_.graph().value(id), tensor);
    store(id, std::move(tensor));
    if (state_.observer && is_tensor(id)) state_.observer(graph_.path() + graph_.graph().value(id).name, logical(id));
}

void Frame::set_stored(size_t index, Stored stored) {
    const ValueId id = graph_.graph().inputs[index];
    const Encoding* encoding = stored.encoding ? &*stored.encoding : nullptr;
    check_input(graph_.graph().value(id), stored.tensor, encoding);
    bind(id, std::move(stored.tensor), encoding);
}

void Frame::bind(ValueId id, Tensor tensor, const Encoding* encoding) {
    const auto& own = graph_.graph().value(id).enc;
    const bool dynamic = own && own->is_dynamic();
    if (encoding && graph_.encoded(id) && (dynamic ? encoding->kind == own->kind : *encoding == *own)) {
        if (dynamic) grids_[id] = *encoding;
        slots_[index_of(id)] = std::move(tensor);
        return;
    }
    store(id, encoding ? dequantize(tensor, *encoding) : std::move(tensor));
}

Tensor Frame::output(size_t index) const { return logical(graph_.graph().outputs[index]); }

Stored Frame::stored(size_t index) const {
    const ValueId id = graph_.graph().outputs[index];
    const Encoding* own = encoding(id);
    return {held(id), own ? std::optional(*own) : std::nullopt};
}

// Sequences and optionals are no numbers that an observer could take.
bool Frame::is_tensor(ValueId id) const { return graph_.graph().value(id).type.kind == Type::Kind::tensor; }

void Frame::observe(const Step& step) {
    if (!state_.observer) return;
    for (const ValueId id : step.last().out) {
        if (id == ValueId::none || !is_tensor(id)) continue;
        const std::string key = step.path + graph_.graph().value(id).name;
        const auto& packed = packed_[index_of(id)];
        if (const Tensor elements = state_.any_order && packed ? packed->elements(*state_.memory) : Tensor(); elements.defined())
            state_.observer(key, elements);
        else if (held(id).defined())
            state_.observer(key, logical(id));
    }
}

// Kernel libraries do not take tensors without elements, most kernels neither.
bool Frame::can_use_kernel(const Step& step) const {
    if (!step.kernel) return false;
    return step.kernel->takes_empty() || std::all_of(step.in.begin(), step.in.end(), [&](ValueId id) {
               if (id == ValueId::none || packed_[index_of(id)]) return true;
               const Dims& dims = slots_[index_of(id)].dims;
               return std::find(dims.begin(), dims.end(), 0) == dims.end();
           });
}

void Frame::run_reference(const Step& step) {
    if (step.kernel)
        for (const ValueId id : step.in)
            if (id != ValueId::none && is_held(graph_.graph().value(id)))
                throw unsupported("node \"{}\" ({}): a context cannot run it on tensors without elements",
                                  escape(step.path + step.first().name), escape(step.first().op->name));
    const std::span nodes(step.nodes.data(), step.unit_out ? 1 : step.nodes.size());  // a unit is one computation
    for (const Node* node : nodes)
        at_node(step.path, *node, [&] {
            StepCtx ctx(*this, step, *node);
            ctx.run();
        });
    for (size_t i = 0; i + 1 < step.nodes.size(); ++i) slots_[index_of(step.nodes[i]->out[0])] = {};
}

// Where tensors of one type and shape differ, in words; "" if nowhere. NaN is NaN, whatever its bits are.
static std::string difference(const Tensor& made, std::string_view maker, const Tensor& wanted) {
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
void Frame::check_codes(const Step& step) {
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
        all.push_back({id, held(id), encoding(id) ? std::optional(*encoding(id)) : std::nullopt});
        slots_[index_of(id)] = {};
        packed_[index_of(id)] = {};
    }
    run_reference(step);
    const std::string place = fmt::format("node \"{}\"", escape(step.path + step.last().name));
    for (const auto& [id, made, grid] : all) {
        const Tensor& wanted = held(id);
        if (made.dims != wanted.dims || made.dtype != wanted.dtype)
            throw bug("{}: {} gives {}, the reference {}", place, step.kernel_name(), to_string(made.dims), to_string(wanted.dims));
        if (grid && *grid != *encoding(id))
            throw bug("{}: {} gives codes of {}, the reference of {}", place, step.kernel_name(), to_string(*grid),
                      to_string(*encoding(id)));
        if (const std::string what = difference(made, step.kernel_name(), wanted); !what.empty())
            throw bug("{}: {} by the reference", place, what);
    }
}

// Codes stay in the layout that they are in.
void Frame::look_up(const Step& step) {
    const size_t in = index_of(step.lookup->input()), out = index_of(step.last().out[0]);
    if (packed_[in]) packed_[out] = packed_[in]->looked_up(step.lookup->table(), *state_.memory, state_.pool);
    if (!packed_[out]) slots_[out] = step.lookup->run(held(step.lookup->input()), *state_.memory, state_.pool);
}

void Frame::run_step(const Step& step) {
    if (can_use_kernel(step)) {
        at_node(step.path, step.first(), [&] {
            KernelStepCtx ctx(*this, step);
            step.kernel->run(ctx);
        });
    } else if (step.lookup) {
        look_up(step);
    } else {
        run_reference(step);
    }
    if (graph_.options().check_codes) check_codes(step);
    observe(step);
    for (const ValueId id : step.dies) {
        slots_[index_of(id)] = {};
        packed_[index_of(id)] = {};
    }
}

void Frame::run() {
    StepRecorder* const recorder = state_.timing ? StepRecorder::current() : nullptr;
    std::vector<uint64_t> held(recorder ? slots_.size() : 0);  // bytes of each value
    uint64_t all = 0;
    const auto hold = [&](ValueId id, uint64_t bytes) {
        all += bytes - held[index_of(id)];
        held[index_of(id)] = bytes;
    };
    if (recorder)
        for (const ValueId id : graph_.graph().inputs) hold(id, value_bytes(id));
    for (const Step& step : graph_.steps()) {
        if (!state_.timing) {
            run_step(step);
            continue;
        }
        const double start = steady_seconds();
        run_step(step);
        const double end = steady_seconds();
        StepTime& time = state_.times[&step];
        time.seconds += end - start;
        ++time.calls;
        if (!recorder) continue;
        for (const ValueId id : step.last().out)
            if (id != ValueId::none) hold(id, value_bytes(id));
        recorder->add(&step, {.start = start, .end = end, .value_bytes = all, .arena_bytes = state_.memory->held_bytes()}, [&] {
            return StepTime{.node = step.path + step.first().name, .op = std::string(step.first().op->name), .kernel = step.kernel_name()};
        });
        for (const ValueId id : step.dies) hold(id, 0);
    }
}

uint64_t Frame::value_bytes(ValueId id) const {
    if (const Tensor& tensor = slots_[index_of(id)]; tensor.defined()) return tensor.data.size();
    if (!packed_[index_of(id)]) return 0;
    const Value& value = graph_.graph().value(id);
    const auto count = static_cast<uint64_t>(count_of(packed_[index_of(id)]->dims()));
    return storage_size(graph_.encoded(id) ? value.enc->storage : value.type.dtype, count);
}

}  // namespace quern
