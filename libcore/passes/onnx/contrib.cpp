#include "libcore/passes/onnx/contrib.h"

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// Over the last dim, which is all that the architectures have.
void make_simplified_norms(Graph& graph) {
    for (const NodeId id : graph.order()) {
        Node& node = graph.node(id);
        if (node.is(ops::RMSNormalization) && NodeView(node).integer("axis") == -1) node.op = need_op(ops::SimplifiedLayerNormalization);
    }
}

}  // namespace

Contrib make_contrib(Graph& graph) {
    Contrib made;
    make_grouped_attention(graph, made);
    make_block_products(graph, made);
    if (!made.changed()) return made;
    make_simplified_norms(graph);
    drop_dead.run(graph);
    std::erase_if(graph.inputs, [&](ValueId id) { return graph.value(id).name == "position_ids" && graph.uses(id).empty(); });
    graph.sort();
    infer_types(graph);
    return made;
}

}  // namespace quern
