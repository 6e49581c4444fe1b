#include "libcore/quant/algorithms/type_spec.h"

#include "libcore/quant/assign/assign.h"

namespace quern {

std::optional<WeightSpec> type_spec(const Graph& graph, const Layer& layer, const Scheme& scheme, const QuantWork& work) {
    if (!is_integer(scheme.weight)) return std::nullopt;
    const Node& node = graph.node(layer.node);
    const Dims dims = graph.constant(layer.weight)->dims;
    WeightSpec spec{.storage = scheme.weight, .symmetric = scheme.weight_symmetric};
    if (has_channel_scales(node, scheme, work)) spec.axis = weight_axis_of(node, dims.size());
    put_in_blocks(spec, node, dims, scheme, work);
    return spec;
}

}  // namespace quern
