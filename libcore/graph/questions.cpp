#include "libcore/graph/questions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

namespace quern {

std::optional<float> scalar_of(const Graph& graph, ValueId id) {
    if (id == ValueId::none || !graph.value(id).constant() || graph.value(id).enc) return std::nullopt;
    if (const auto dims = graph.value(id).type.shape.concrete(); dims && count_of(*dims) != 1)
        return std::nullopt;  // also if a kernel holds them
    const auto tensor = graph.constant(id);
    if (!tensor || tensor->count() != 1 || !is_float(tensor->dtype)) return std::nullopt;
    return to_floats(*tensor)[0];
}

std::optional<Bounds> clip_bounds(const Graph& graph, const Node& node) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (node.is(ops::Relu)) return Bounds{0, infinity};
    if (!node.is(ops::Clip)) return std::nullopt;
    Bounds bounds{-infinity, infinity};
    for (const size_t i : {size_t{1}, size_t{2}}) {
        if (node.in.size() <= i || node.in[i] == ValueId::none) continue;
        const auto bound = scalar_of(graph, node.in[i]);
        if (!bound) return std::nullopt;
        (i == 1 ? bounds.low : bounds.high) = *bound;
    }
    if (std::isnan(bounds.low) || std::isnan(bounds.high)) return std::nullopt;
    bounds.low = std::min(bounds.low, bounds.high);  // where the minimum is above it, every result is the maximum
    return bounds;
}

}  // namespace quern
