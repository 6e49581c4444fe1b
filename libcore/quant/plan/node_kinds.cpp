#include "libcore/quant/plan/node_kinds.h"

#include <algorithm>

namespace quern {

bool is_f32(const Graph& graph, ValueId id) {
    return id != ValueId::none && graph.value(id).type.kind == Type::Kind::tensor && graph.value(id).type.dtype == DType::f32;
}

bool float_node(const Graph& graph, const Node& node) {
    const auto given = std::ranges::find_if(node.out, [](ValueId id) { return id != ValueId::none; });
    return given != node.out.end() && is_f32(graph, *given) && !node.in.empty() && is_f32(graph, node.in[0]) && node.bodies.empty();
}

}  // namespace quern
