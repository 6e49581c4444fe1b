#include "libcore/quant/plan/followers.h"

#include <set>

#include "libcore/graph/op_ids.h"
#include "libcore/support/units.h"

namespace quern {
namespace {

// Is `id` a constant with one number for each channel of the last axis (or of `channels` axis for convolutions)?
bool is_row(const Graph& graph, ValueId id, int64_t length) {
    if (id == ValueId::none || !graph.value(id).constant()) return false;
    const auto dims = graph.value(id).type.shape.concrete();
    return dims && !dims->empty() && count_of(*dims) == length && dims->back() == length;
}

// Can `next` be of the unit of `from`? With the same codes and on the same device.
bool goes_with(const Graph& graph, const GraphPlan& plan, NodeId from, NodeId next) {
    return next != NodeId::none && plan.quantized(next) && plan.nodes.at(next).scheme->same_activations(*plan.nodes.at(from).scheme) &&
           graph.node(next).device == graph.node(from).device;
}

// Does the Add put one number of a constant to each channel that the weights of the product make?
bool adds_row(const Graph& graph, const Node& product, const Node& add) {
    const auto dims = graph.value(product.in[static_cast<size_t>(product.op->quant.weight)]).type.shape.concrete();
    return add.is(ops::Add) && dims && !dims->empty() && is_row(graph, add.in[add.in[0] == product.out[0] ? 1 : 0], dims->back());
}

}  // namespace

bool begins_unit(const Op& op) { return op.quant.weight >= 0 || op.is(ops::Add) || op.is(ops::BatchNormalization); }

NodeId next_of_unit(const Graph& graph, NodeId first, NodeId last, bool root) {
    const ValueId result = graph.node(last).out[0];
    const Node& node = graph.node(first);
    const NodeId next = root && !graph.value(result).enc ? graph.only_reader(result) : support::follower_of(graph, result);
    if (next == NodeId::none) return next;
    const Node& reader = graph.node(next);
    if (root) return last == first && reader.is(ops::Reciprocal) ? next : NodeId::none;
    const bool bias = last == first && weight_input(graph, node) >= 0 && node.op->quant.bias < 0 && adds_row(graph, node, reader);
    const bool activation = has(reader.op->traits, Trait::activation) && !has(graph.node(last).op->traits, Trait::activation);
    return bias || activation ? next : NodeId::none;
}

void find_inner(const Graph& graph, const std::string& path, const QuantWork& work, GraphPlan& plan) {
    plan.inner.assign(graph.value_count(), false);
    std::set<NodeId> joined;
    for (const NodeId first : graph.order()) {
        const Node& node = graph.node(first);
        if (joined.contains(first) || !plan.quantized(first) || !plan.nodes.at(first).scheme->full()) continue;
        const bool root = node.is(ops::Sqrt) && work.spelled.contains(path + node.name);
        if (!begins_unit(*node.op) && !root) continue;
        NodeId last = first;
        for (NodeId next; next = next_of_unit(graph, first, last, root), goes_with(graph, plan, last, next); last = next) {
            plan.inner[index_of(graph.node(last).out[0])] = true;
            joined.insert(next);
        }
    }
}

}  // namespace quern
