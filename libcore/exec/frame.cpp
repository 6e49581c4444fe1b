#include "libcore/exec/frame.h"

#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"

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

// Sequences and optionals are not numbers that an observer could take.
bool Frame::is_tensor(ValueId id) const { return graph_.graph().value(id).type.kind == Type::Kind::tensor; }

uint64_t Frame::value_bytes(ValueId id) const {
    if (const Tensor& tensor = slots_[index_of(id)]; tensor.defined()) return tensor.data.size();
    if (!packed_[index_of(id)]) return 0;
    const Value& value = graph_.graph().value(id);
    const auto count = static_cast<uint64_t>(count_of(packed_[index_of(id)]->dims()));
    return storage_size(graph_.encoded(id) ? value.enc->storage : value.type.dtype, count);
}

void Frame::drop(ValueId id) {
    slots_[index_of(id)] = {};
    packed_[index_of(id)] = {};
}

}  // namespace quern
