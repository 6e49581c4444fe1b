#include "libcore/quant/types/followed.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/family.h"
#include "libcore/quant/types/work.h"

namespace quern {
namespace {

bool is_quantized_activation(const Value& value) {
    return !value.erased && !value.constant() && value.enc && is_integer(value.enc->storage);
}

bool has_quantized_activations(const Graph& graph) {
    bool any = false;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (size_t i = 0; i < part.value_count() && !any; ++i) any = is_quantized_activation(part.value(static_cast<ValueId>(i)));
    });
    return any;
}

}  // namespace

std::string_view followed_rules(const Graph& graph) {
    if (const auto found = graph.metadata.find(rules_key); found != graph.metadata.end()) return found->second;
    return is_of_tflite(graph) ? "tflite" : "onnx";
}

std::string_view rules_of(const Destination& destination) {
    const QuantRequest request{.destination = destination};
    return recipe_of(Scheme{}, QuantWork(request, Graph())).name;
}

bool makes_floats(const Graph& graph, const Node& node) {
    if (node.is(ops::DequantizeLinear) || node.is(ops::own::Recode)) return false;
    return std::ranges::any_of(node.out, [&](const ValueId id) {
        if (id == ValueId::none) return false;
        const Value& value = graph.value(id);
        return !value.enc && value.type.kind == Type::Kind::tensor && is_float(value.type.dtype);
    });
}

size_t count_float_nodes(const Graph& graph) {
    if (!has_quantized_activations(graph)) return 0;
    size_t count = 0;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (const NodeId id : part.order()) count += makes_floats(part, part.node(id)) ? 1 : 0;
    });
    return count;
}

}  // namespace quern
