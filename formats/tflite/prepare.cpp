#include "formats/tflite/prepare.h"

#include "libcore/graph/op.h"
#include "libcore/passes/passes.h"

namespace quern::tflite_format {
namespace {

// A fixed point that is found anew by the executing side: readers quantize the operand of a hybrid operator themselves.
int drop_dynamic_recodes(Graph& graph) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const Node& node = graph.node(id);
        if (node.op->name != "Recode" || node.op->domain != "quern") continue;
        const auto& encoding = graph.value(node.out[0]).enc;
        if (!encoding || encoding->kind != Encoding::Kind::dynamic || graph.is_output(node.out[0])) continue;
        graph.replace_uses(node.out[0], node.in[0]);
        graph.erase(id);
        ++changes;
    }
    return changes;
}

}  // namespace

void prepare(Graph& graph, const WriteOptions&) {
    for_each_graph(graph, [](Graph& g, const std::string&) { drop_dynamic_recodes(g); });
    run_passes(graph, std::array{&fold_qdq, &drop_identity, &fold_constants, &fuse_batchnorm, &fuse_gelu, &fuse_layernorm, &fuse_rmsnorm,
                                 &move_layout, &drop_transpose_pairs, &fold_constants, &drop_dead});
    infer_types(graph);
    graph.sort();
}

}  // namespace quern::tflite_format
