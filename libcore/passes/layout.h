// Orders of dims, and what each operator does with one: what move_layout knows.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "libcore/graph/op.h"

namespace quern {

// Dim i of a moved value is dim order[i] of the source.
using Order = std::vector<int64_t>;

Order source_order(size_t rank);
bool in_source_order(const Order& order);
// From [N, C, space...] to channels last, or from [N, space..., C] to channels first.
Order channels_order(bool last, size_t rank);
int64_t place_of(const Order& order, int64_t axis);
// The Transpose that brings a value of one order to another.
Order between(const Order& from, const Order& to);

// Without some dims of the source; what is left is counted anew.
Order without(const Order& order, std::span<const int64_t> axes);
// The order of a value whose dims but `ones` (ascending, each of length 1) lie as `rest` says, in its own numbers. Dims of length 1 may
// lie anywhere: the source's order is preferred, then the channels' order.
Order with_ones(const Order& rest, std::span<const int64_t> ones, bool last);

// How a reshape carries an order along: the order in which it needs its operand, and that of its result. Groups of dims that make up
// the same elements stay together. nullopt: dims that are not known.
struct Carried {
    Order in, out;
};
std::optional<Carried> carried(const Shape& from, const Shape& to, const Order& order, bool last);

// What is done to a node when its operands and results lie in other orders.
struct LayoutPlan {
    std::vector<Order> in;   // the order in which each operand is read; empty: as it is
    std::vector<Order> out;  // of each result; empty: as it is
    // Rewrites the node itself; makes constants of int64 numbers with `numbers`.
    using Numbers = std::function<ValueId(std::string_view what, const std::vector<int64_t>& items)>;
    std::function<void(Node& node, const Numbers& numbers)> rewrite;
};

// Looks at a graph whose values lie in `orders` (others: in the source's).
struct LayoutView {
    const Graph& graph;
    const std::map<ValueId, Order>& orders;
    bool last;

    bool moved(ValueId id) const { return orders.contains(id); }
    bool ranked(ValueId id) const;
    size_t rank(ValueId id) const { return graph.value(id).type.shape.rank(); }
    Order order(ValueId id) const;
    bool single(ValueId id) const;       // has one element
    bool can_permute(ValueId id) const;  // a constant that can be rearranged
};

// nullopt: the node needs everything in the source's order.
std::optional<LayoutPlan> layout_plan(const LayoutView& view, const Node& node);

}  // namespace quern
