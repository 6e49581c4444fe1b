#include "libcore/support/operands.h"

#include "libcore/graph/op_ids.h"
#include "libcore/ops/recurrent/recurrent.h"

namespace quern {
namespace {

bool is_f32(const Graph& graph, ValueId id) {
    return id != ValueId::none && graph.value(id).type.kind == Type::Kind::tensor && graph.value(id).type.dtype == DType::f32;
}

}  // namespace

bool is_activation(const Graph& graph, const Node& node, size_t i) {
    if (i >= node.in.size() || !is_f32(graph, node.in[i])) return false;
    const QuantRule& rule = node.op->quant;
    if (i < 32 ? !((rule.activations >> i) & 1u) : rule.activations != ~0u) return false;
    return static_cast<int>(i) != rule.bias && static_cast<int>(i) != weight_input(graph, node);
}

int weight_input(const Graph& graph, const Node& node) {
    const int i = node.op->quant.weight;
    if (i < 0 || static_cast<size_t>(i) >= node.in.size()) return -1;
    const ValueId id = node.in[static_cast<size_t>(i)];
    return id != ValueId::none && graph.value(id).constant() && graph.value(id).type.dtype == DType::f32 ? i : -1;
}

bool is_table(const Graph& graph, const Node& node) {
    constexpr int64_t min_slice = 16;  // of fewer numbers a scale for each takes what their codes save
    if (!node.is(ops::Gather) || !is_f32(graph, node.in[0]) || !graph.value(node.in[0]).constant()) return false;
    const auto dims = graph.value(node.in[0]).type.shape.concrete();
    if (!dims || dims->size() < 2) return false;
    const int64_t slices = (*dims)[static_cast<size_t>(weight_axis_of(node, dims->size()))];
    return slices > 0 && count_of(*dims) / slices >= min_slice;
}

bool is_recurrent(const Node& node) { return node.is(ops::LSTM, ops::GRU, ops::RNN); }

std::vector<size_t> weight_inputs(const Graph& graph, const Node& node) {
    using namespace recurrent_operands;
    if (const int i = weight_input(graph, node); i >= 0) return {static_cast<size_t>(i)};
    if (is_table(graph, node)) return {0};
    if (!is_recurrent(node)) return {};
    for (const size_t i : {weights_at, recurrence_at})
        if (i >= node.in.size() || !is_f32(graph, node.in[i]) || !graph.value(node.in[i]).constant()) return {};
    return {weights_at, recurrence_at};
}

int64_t gates_of(const Graph& graph, const Node& recurrent) {
    const Dims dims = *graph.value(recurrent.in[recurrent_operands::recurrence_at]).type.shape.concrete();
    return dims.at(1) / dims.at(2);
}

int weight_axis_of(const Node& node, size_t rank) {
    const NodeView view(node);
    if (rank < 2) return -1;
    if (node.is(ops::MatMul)) return static_cast<int>(rank) - 1;
    if (node.is(ops::Gemm)) return view.integer("transB") ? 0 : 1;
    if (is_recurrent(node)) return 1;
    if (node.is(ops::Gather)) return static_cast<int>(normal_axis(view.integer("axis"), rank));
    if (node.is(ops::ConvTranspose)) {
        if (view.integer("group") != 1) return -1;  // channels repeat along no one axis
        return view.text("layout") == "NHWC" ? static_cast<int>(rank) - 1 : 1;
    }
    return node.op->quant.weight_axis;
}

int reduction_axis_of(const Node& node, size_t rank) {
    if (is_recurrent(node) && rank == 3) return 2;
    if (rank != 2) return -1;
    if (node.is(ops::Gather)) return weight_axis_of(node, rank) == 0 ? 1 : -1;
    if (node.is(ops::MatMul)) return 0;
    if (node.is(ops::Gemm)) return NodeView(node).integer("transB") ? 1 : 0;
    return -1;
}

}  // namespace quern
