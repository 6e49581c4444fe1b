#include "formats/safetensors/weights.h"

#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/encoding.h"

namespace quern::safetensors {
namespace {

bool plain_float(DType dtype) { return dtype == DType::f64 || dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16; }

std::string type_text(DType dtype, const Dims& dims) { return fmt::format("{}{}", name_of(dtype), to_string(dims)); }

Tensor converted(const Tensor& tensor, DType dtype) {
    if (tensor.dtype == dtype) return tensor;
    if (tensor.dtype == DType::f64 || dtype == DType::f64) return from_doubles(dtype, tensor.dims, to_doubles(aligned(tensor)));
    return from_floats(dtype, tensor.dims, to_floats(aligned(tensor)));
}

void put(Value& value, const Tensor& tensor) {
    if (value.enc && value.enc->format) throw unsupported("is stored as {}, which safetensors does not have", to_string(*value.enc));
    const DType dtype = value.storage();
    const Dims dims = value.type.shape.concrete().value();
    const bool fits = tensor.dtype == dtype || (!value.enc && plain_float(tensor.dtype) && plain_float(dtype));
    if (tensor.dims != dims || !fits)
        throw bad_input("got {}, need {}{}", type_text(tensor.dtype, tensor.dims), type_text(dtype, dims),
                        value.enc ? ", the codes of " + to_string(*value.enc) : "");
    value.data = converted(tensor, dtype).data;
}

}  // namespace

TakenWeights take_weights(Graph& graph, const Container& container) {
    TakenWeights result;
    std::set<std::string_view> used;
    for_each_graph(graph, [&](Graph& inner, const std::string& path) {
        for (size_t i = 0; i < inner.value_count(); ++i) {
            Value& value = inner.value(static_cast<ValueId>(i));
            if (value.erased || !value.constant()) continue;
            const auto found = container.tensors.find(path + value.name);
            if (found == container.tensors.end()) continue;
            at_place([&] { return fmt::format("tensor \"{}\"", escape(found->first)); }, [&] { put(value, found->second); });
            used.insert(found->first);
            ++result.taken;
        }
    });
    for (const auto& [name, tensor] : container.tensors)
        if (!used.contains(name)) result.unused.push_back(name);
    if (result.taken == 0 && !result.unused.empty())
        throw bad_input("none of its {} tensors has the name of a constant of the model: the first is \"{}\"", result.unused.size(),
                        escape(result.unused[0]));
    return result;
}

std::vector<Named> weights_of(const Graph& graph) {
    std::vector<Named> named;
    for_each_graph(graph, [&](const Graph& inner, const std::string& path) {
        for (size_t i = 0; i < inner.value_count(); ++i) {
            const Value& value = inner.value(static_cast<ValueId>(i));
            if (value.erased || !value.constant()) continue;
            if (value.enc && value.enc->format)
                throw unsupported("constant \"{}\" is stored as {}, which safetensors does not have", escape(value.name),
                                  to_string(*value.enc));
            named.emplace_back(path + value.name, Tensor{value.storage(), value.type.shape.concrete().value(), *value.data});
        }
    });
    return named;
}

}  // namespace quern::safetensors
