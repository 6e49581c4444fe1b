// The nodes of a graph one after the other, and what is said of one that has no form.
#include <algorithm>

#include "formats/tflite/lower/lower.h"
#include "libcore/graph/summary.h"

namespace quern::tflite_format {
namespace {

// Has data of the node, or its result, a size that is not known, other than that of the batch?
bool is_open(const Graph& graph, const Node& node) {
    const auto is_known = [&](ValueId id) { return graph.value(id).type.shape.ranked; };
    const auto open = [&](ValueId id) {
        if (id == ValueId::none || !is_known(id)) return id != ValueId::none;
        const auto& dims = graph.value(id).type.shape.dims;
        return !dims.empty() && std::any_of(dims.begin() + 1, dims.end(), [](const Dim& dim) { return !dim.known(); });
    };
    return std::ranges::any_of(node.in, open) ||
           std::ranges::any_of(node.out, [&](ValueId id) { return id != ValueId::none && is_known(id) && open(id); });
}

}  // namespace

void lower_all(Exporter& exporter, ExportScope& scope) {
    for (const NodeId id : scope.graph.topo()) {
        if (scope.done.contains(id)) continue;
        try {
            at_node(scope.graph.node(id), [&] { Lowering(exporter, scope, id).run(); });
        } catch (Error& error) {
            if (error.exit() == Exit::unsupported && error.hint().empty() && is_open(scope.graph, scope.graph.node(id)))
                error.with_hint(
                    "its data have open sizes, and some operators can be written of fixed ones only: model-convert --shape fixes them");
            throw;
        }
    }
}

}  // namespace quern::tflite_format
