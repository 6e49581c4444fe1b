// Graphs that compute in float16 or bfloat16 as graphs on float32: values, constants, and what attributes say of types.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/os/spool.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"
#include "libcore/passes/to_float32.h"

namespace quern {
namespace {

bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

Tensor widened(const Tensor& tensor) { return from_floats(DType::f32, tensor.dims, to_floats(tensor)); }

bool widen(Type& type) {
    bool changed = is_half(type.dtype);
    if (changed) type.dtype = DType::f32;
    if (!type.element) return changed;
    Type element = *type.element;
    if (!widen(element)) return changed;
    type.element = std::make_shared<const Type>(std::move(element));
    return true;
}

bool widen(Tensor& tensor) {
    if (!is_half(tensor.dtype)) return false;
    tensor = widened(tensor);
    return true;
}

// Attributes that name an element type by ONNX's number.
bool widen(std::string_view name, int64_t& number) {
    static constexpr std::array<std::string_view, 6> names{"to", "dtype", "output_dtype", "precision", "softmax_precision", "stash_type"};
    if (std::ranges::find(names, name) == names.end() || number < 0 || number > 100) return false;
    const auto dtype = dtype_of_onnx(static_cast<int>(number));
    if (!dtype || !is_half(*dtype)) return false;
    number = row_of(DType::f32).onnx;
    return true;
}

bool widen(std::string_view name, Attr& attr) {
    if (auto* number = std::get_if<int64_t>(&attr)) return widen(name, *number);
    if (auto* type = std::get_if<Type>(&attr)) return widen(*type);
    if (auto* tensor = std::get_if<Tensor>(&attr)) return widen(*tensor);
    bool changed = false;
    if (auto* tensors = std::get_if<std::vector<Tensor>>(&attr))
        for (Tensor& tensor : *tensors) changed = widen(tensor) || changed;
    return changed;
}

bool widen(Graph& graph, ValueId id, Spool& spool) {
    Value& value = graph.value(id);
    const bool plain = value.constant() && !value.enc && value.type.kind == Type::Kind::tensor && is_half(value.type.dtype);
    if (plain) {
        const Tensor stored = *graph.constant(id);
        value.data = spool.put(widened(stored).data);
        stored.data.release();
    }
    const bool encoded = value.enc && is_half(value.enc->real);
    if (encoded) value.enc->real = DType::f32;
    return widen(value.type) || encoded;
}

// The bits of numbers are of their type.
bool reads_bits(const Graph& graph) {
    return std::ranges::any_of(graph.order(), [&](NodeId id) {
        const Node& node = graph.node(id);
        const auto half = [&](ValueId value) { return value != ValueId::none && is_half(graph.value(value).type.dtype); };
        return node.is(ops::BitCast) && (std::ranges::any_of(node.in, half) || std::ranges::any_of(node.out, half));
    });
}

int to_float32_in(Graph& graph) {
    int changes = 0;
    Spool spool;  // of a large model only one constant is in memory
    for (size_t i = 0; i < graph.value_count(); ++i)
        if (!graph.value(static_cast<ValueId>(i)).erased) changes += widen(graph, static_cast<ValueId>(i), spool);
    for (const NodeId id : graph.order())
        for (auto& [name, attr] : graph.node(id).attrs) changes += widen(name, attr);
    return changes;
}

int to_float32_all(Graph& graph) {
    bool bits = false;
    for_each_graph(graph, [&](const Graph& part, const std::string&) { bits = bits || reads_bits(part); });
    return bits ? 0 : on_every_graph(graph, to_float32_in);
}

}  // namespace

DType computed_in_half(const Graph& graph) {
    DType found = DType::none;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        std::vector<bool> fixed(part.value_count(), false);  // computed of constants alone
        for (const NodeId id : part.order()) {
            const Node& node = part.node(id);
            const bool of_constants = std::ranges::all_of(
                node.in, [&](ValueId in) { return in == ValueId::none || part.value(in).constant() || fixed[index_of(in)]; });
            for (const ValueId out : node.out) {
                if (out == ValueId::none) continue;
                fixed[index_of(out)] = of_constants;
                const DType dtype = part.value(out).type.dtype;
                if (!of_constants && !node.is(ops::Cast) && is_half(dtype)) found = dtype;
            }
        }
    });
    return found;
}

constinit const Pass to_float32{"to_float32", "compute in float32 what is float16 or bfloat16, inputs and outputs included", to_float32_all,
                                0.02f, false};

}  // namespace quern
