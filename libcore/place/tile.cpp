#include "libcore/place/tile.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/support/operands.h"

namespace quern::place {
namespace {

constexpr int longest_chain = 16;  // elementwise nodes between a convolution and what has its layout

// The node that made an operand of an elementwise one, of the first that has the rank of its result; nullptr: none did.
const Node* maker_of_operand(const Graph& graph, const Node& node, size_t rank) {
    for (const ValueId in : node.in) {
        if (in == ValueId::none || !graph.value(in).type.shape.ranked || graph.value(in).type.shape.rank() != rank) continue;
        const NodeId maker = graph.value(in).producer;
        if (maker != NodeId::none) return &graph.node(maker);
    }
    return nullptr;
}

bool has_layout_of_operand(const Node& node) { return node.op->layout == Layout::agnostic || node.is(ops::Concat, ops::Resize); }

// Do operands of this rank have channels before their space? Those of a node with windows do, and what is made of its results in their
// order.
bool channels_first(const Graph& graph, const Node& node, size_t rank) {
    const Node* at = &node;
    for (int steps = 0; at && has_layout_of_operand(*at) && steps < longest_chain; ++steps) at = maker_of_operand(graph, *at, rank);
    return at && at->op->layout == Layout::spatial && !channels_last(NodeView(*at));
}

bool is_filter(const Node& node, ValueId id) {
    const int weight = node.op->quant.weight;
    return node.op->layout == Layout::spatial && weight >= 0 && static_cast<size_t>(weight) < node.in.size() &&
           node.in[static_cast<size_t>(weight)] == id;
}

int64_t rounded_up(int64_t length, int64_t step) {
    return length < std::numeric_limits<int64_t>::max() - step ? (length + step - 1) / step * step : length;
}

}  // namespace

Dims assumed_dims(const Shape& shape) {
    Dims dims;
    for (size_t i = 0; i < shape.rank(); ++i) {
        const size_t from_end = shape.rank() - i;
        const int64_t assumed = i == 0 && shape.rank() > 1 ? 1 : from_end == 1 ? 64 : from_end == 2 ? 32 : 1;
        dims.push_back(shape.dims[i].known() ? shape.dims[i].value : assumed);
    }
    return dims;
}

std::vector<size_t> device_order(const Graph& graph, const Node& node, ValueId id, size_t rank) {
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), size_t{0});
    if (rank < 3) return order;
    if (channels_first(graph, node, rank)) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    if (!is_filter(node, id)) return order;
    std::rotate(order.begin(), order.begin() + 1, order.end());
    if (weight_axis_of(node, rank) == 1) std::swap(order[rank - 2], order[rank - 1]);  // the input channels stood first
    return order;
}

Dims tiled_dims(const Graph& graph, const Node& node, ValueId operand, Tile tile) {
    Dims dims = assumed_dims(graph.value(operand).type.shape);
    if (tile.empty()) return dims;
    const std::vector<size_t> order = device_order(graph, node, operand, dims.size());
    for (size_t i = 0; i < std::min(tile.size(), order.size()); ++i) {
        int64_t& length = dims[order[order.size() - 1 - i]];
        length = rounded_up(length, tile[tile.size() - 1 - i]);
    }
    return dims;
}

}  // namespace quern::place
