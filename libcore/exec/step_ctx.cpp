#include "libcore/exec/step_ctx.h"

#include <algorithm>

#include "libcore/base/memory_limit.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/shared/output_size.h"

namespace quern {

StepCtx::StepCtx(Frame& frame, const Step& step, const Node& node) : EvalCtx(node), frame_(frame), step_(step), results_(node.out.size()) {}

const Encoding* StepCtx::encoding_of(ValueId id) const { return id == ValueId::none ? nullptr : frame_.encoding(id); }

// The encoding that a result is computed in: a dynamic one follows from the finished numbers.
const Encoding* StepCtx::target_of(ValueId id) const {
    if (id == ValueId::none || !frame_.graph().encoded(id)) return nullptr;
    const Encoding& declared = *frame_.graph().graph().value(id).enc;
    return declared.is_fixed() ? &declared : nullptr;
}

// A row takes only the element types that it lists.
void StepCtx::check_type() const {
    const DTypes types = node().op->types;
    if (types.empty() || node().in.empty() || node().in[0] == ValueId::none) return;
    DType dtype = frame_.graph().graph().value(node().in[0]).type.dtype;
    if (dtype == DType::none) dtype = frame_.held(node().in[0]).dtype;
    if (dtype != DType::none && !types.has(dtype)) throw unsupported("input 0 is {}, which this operator does not take", name_of(dtype));
}

// Sizes that are known were looked at when the program was made, but for those of bodies. Elementwise rows ask for their memory before they
// do anything else.
void StepCtx::check_sizes() const {
    const Graph& graph = frame_.graph().graph();
    const auto known = [&](ValueId out) { return out == ValueId::none || graph.value(out).type.shape.fixed(); };
    if (std::ranges::all_of(node().out, known)) {
        for (size_t i = 0; !step_.path.empty() && i < node().out.size(); ++i)
            if (node().out[i] != ValueId::none) check_output_size(i, graph.value(node().out[i]).type, memory_limit());
        return;
    }
    if (quern::has(node().op->traits, Trait::elementwise) || quern::has(node().op->traits, Trait::shape_only)) return;
    std::vector<const Tensor*> inputs(node().in.size());
    std::vector<Type> types(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (node().in[i] == ValueId::none) continue;
        const Value& value = graph.value(node().in[i]);
        if (value.enc && value.enc->format) {  // what is held are the bytes of its blocks
            types[i] = value.type;
            continue;
        }
        const Tensor& held = frame_.held(node().in[i]);
        if (!held.defined()) continue;
        const DType declared = graph.value(node().in[i]).type.dtype;
        inputs[i] = &held;
        types[i] = Type::tensor(declared == DType::none ? held.dtype : declared, Shape::of(held.dims));
    }
    check_output_sizes(node(), inputs, types, memory_limit());
}

void StepCtx::run() {
    check_type();
    decoded_.resize(node().in.size());
    check_sizes();
    if (step_.reads_numbers())
        for (size_t i = 0; i < node().in.size(); ++i)
            if (const Encoding* encoding = encoding_of(node().in[i])) decoded_[i] = dequantize(frame_.held(node().in[i]), *encoding);
    (step_.eval ? step_.eval : node().op->eval)(*this);
    finish();
}

const Tensor* StepCtx::in(size_t i) const {
    if (i >= node().in.size() || node().in[i] == ValueId::none) return nullptr;
    if (decoded_[i]) return &*decoded_[i];
    const Tensor& held = frame_.held(node().in[i]);
    return held.defined() ? &held : nullptr;
}

std::byte* StepCtx::out(size_t i, DType dtype, Dims dims) {
    const Buffer buffer = frame_.state().memory->take(storage_size(dtype, static_cast<uint64_t>(count_of(dims))));
    if (i < results_.size()) results_[i] = {dtype, std::move(dims), buffer.freeze()};
    return buffer.data.get();
}

void StepCtx::give(size_t i, Tensor tensor) {
    if (i < results_.size()) results_[i] = std::move(tensor);
}

const Encoding* StepCtx::in_encoding(size_t i) const { return i < node().in.size() ? encoding_of(node().in[i]) : nullptr; }
const Encoding* StepCtx::out_encoding(size_t i) const {
    if (step_.unit_out) return &*step_.unit_out;
    return i < node().out.size() ? target_of(node().out[i]) : nullptr;
}

void StepCtx::finish() {
    if (step_.unit_out) {
        frame_.put(step_.last().out[0], std::move(results_[0]));
        return;
    }
    for (size_t i = 0; i < results_.size(); ++i) {
        if (node().out[i] == ValueId::none || !results_[i].defined()) continue;
        const Encoding* target = target_of(node().out[i]);
        if (!step_.reads_numbers() && target && results_[i].dtype == target->storage)
            frame_.put(node().out[i], std::move(results_[i]));
        else
            frame_.store(node().out[i], std::move(results_[i]));
    }
}

uint64_t StepCtx::seed() const {
    uint64_t hash = 1469598103934665603ull ^ frame_.state().runs * 0x9e3779b97f4a7c15ull;
    for (const char c : step_.path + node().name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return hash;
}

}  // namespace quern
