#include "formats/onnx/for_onnxruntime.h"

#include <algorithm>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/qlinear_forms.h"

namespace quern::onnx_format {
namespace {

bool is_byte(DType dtype) { return dtype == DType::i8 || dtype == DType::u8; }

}  // namespace

void keep_off_codes(Graph& graph) {
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const Node& node = graph.node(id);
        if (!has_qlinear_operator(*node.op) || qlinear_form_of(node)) continue;
        const ValueId made = node.out[0];
        const std::string name = graph.value(made).name;
        std::vector<NodeId> readers;
        for (const Use& use : graph.uses(made))
            if (use.node != NodeId::none && use.index == 0 && graph.node(use.node).is(ops::QuantizeLinear) &&
                is_byte(graph.value(graph.node(use.node).out[0]).type.dtype))
                readers.push_back(use.node);
        if (readers.empty()) continue;
        const ValueId same = graph.add_value(graph.unique_name(name + "_sum"), graph.value(made).type);
        graph.add_node(need_op(ops::Sum), graph.unique_node_name(name + "_sum"), {made}, {same}, {}, readers.front());
        for (const NodeId reader : readers) graph.node(reader).in[0] = same;
    }
    graph.sort();
}

}  // namespace quern::onnx_format
