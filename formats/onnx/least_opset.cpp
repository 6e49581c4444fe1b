// The lowest opset that can express a graph (downgrade.h).
#include <algorithm>

#include "formats/onnx/downgrade.h"
#include "formats/onnx/versions.h"
#include "libcore/graph/op_ids.h"

namespace quern::onnx_format {
namespace {

// Codes below 8 bits and blocks came with opset 21, scales of other types than float32 with 19. 16-bit codes need neither: before opset 21
// they are written in com.microsoft's operators.
int opset_of_encoding(const Encoding& encoding) {
    int least = encoding.block > 0 ? 21 : 10;
    if (!encoding.per_tensor()) least = std::max(least, 13);
    if (encoding.real != DType::f32 && !is_float(encoding.storage)) least = std::max(least, 19);
    return std::max(least, first_opset(encoding.storage));
}

// An operator that an older opset would have as several.
int opset_unexpanded(const Node& node) {
    if (node.is(ops::Shape) && !node.attrs.contains("start") && !node.attrs.contains("end")) return 1;
    int least = 1;
    for (const Downgrade& row : expansions())
        if (row.op.name == node.op->name) least = std::max(least, row.below);
    return least;
}

}  // namespace

int least_opset(const Graph& root, int floor) {
    int least = floor;
    for_each_graph(root, [&](const Graph& graph, const std::string&) {
        for (size_t i = 0; i < graph.value_count(); ++i) {
            const Value& value = graph.value(static_cast<ValueId>(i));
            if (value.erased) continue;
            least = std::max(least, value.enc ? opset_of_encoding(*value.enc) : first_opset(value.type.dtype));
        }
        for (const NodeId id : graph.order()) {
            const Node& node = graph.node(id);
            if (!node.op->domain.empty()) continue;
            least = std::max({least, opset_of_operator(graph, node), opset_of_attributes(node), opset_unexpanded(node)});
        }
    });
    return least;
}

}  // namespace quern::onnx_format
