// What each operator does when its operands lie in another order.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/layout.h"
#include "libcore/passes/shared.h"

namespace quern {

bool LayoutView::ranked(ValueId id) const {
    return id != ValueId::none && graph.value(id).type.kind == Type::Kind::tensor && graph.value(id).type.shape.ranked;
}

Order LayoutView::order(ValueId id) const {
    const auto found = orders.find(id);
    return found == orders.end() ? source_order(rank(id)) : found->second;
}

bool LayoutView::single(ValueId id) const {
    if (!ranked(id)) return false;
    const auto dims = graph.value(id).type.shape.concrete();
    return dims && count_of(*dims) == 1;
}

bool LayoutView::can_permute(ValueId id) const {
    const Value& value = graph.value(id);
    return value.constant() && value.type.dtype != DType::string && (!value.enc || value.enc->block == 0);
}

namespace {

using Plan = std::optional<LayoutPlan>;
using Numbers = LayoutPlan::Numbers;
using Ints = std::vector<int64_t>;

bool has_attr(const Op& op, std::string_view name) {
    return std::any_of(op.attrs.begin(), op.attrs.end(), [&](const AttrDef& def) { return def.name == name; });
}

Ints placed(const Order& order, const Ints& axes) {
    Ints out;
    for (const int64_t axis : axes) out.push_back(place_of(order, axis));
    return out;
}

Ints normal(Ints axes, size_t rank) {
    for (int64_t& axis : axes) axis = static_cast<int64_t>(normal_axis(axis, rank));
    return axes;
}

// Operand `i` of the node becomes a constant.
void put(Node& node, size_t i, const Numbers& numbers, std::string_view what, const Ints& items) {
    if (node.in.size() <= i) node.in.resize(i + 1, ValueId::none);
    node.in[i] = numbers(what, items);
}

LayoutPlan plan_of(const Node& node) { return {std::vector<Order>(node.in.size()), std::vector<Order>(node.out.size()), {}}; }

Plan spatial(const LayoutView& view, const Node& node) {
    const std::string_view wish = view.last ? "NHWC" : "NCHW";
    if (!has_attr(*node.op, "layout") || NodeView(node).text("layout") == wish) return std::nullopt;
    if (!view.ranked(node.in[0]) || view.rank(node.in[0]) < 3) return std::nullopt;
    if (node.out.size() > 1 && node.out[1] != ValueId::none) return std::nullopt;  // MaxPool's indices count in source order
    const size_t rank = view.rank(node.in[0]);
    const bool filtered = node.op->quant.weight == 1;
    if (filtered && (!view.can_permute(node.in[1]) || view.rank(node.in[1]) != rank)) return std::nullopt;
    LayoutPlan plan = plan_of(node);
    plan.in[0] = plan.out[0] = channels_order(view.last, rank);
    if (filtered) plan.in[1] = plan.in[0];
    plan.rewrite = [last = view.last](Node& n, const Numbers&) {
        if (last)
            n.attrs["layout"] = std::string("NHWC");
        else
            n.attrs.erase("layout");
    };
    return plan;
}

// The order that most of the first `count` operands have; the channels' order before others.
Order common_order(const LayoutView& view, const Node& node, size_t count, size_t rank) {
    std::map<Order, size_t> votes;
    for (size_t i = 0; i < count; ++i)
        if (view.ranked(node.in[i]) && view.rank(node.in[i]) == rank && !view.graph.value(node.in[i]).constant())
            ++votes[view.order(node.in[i])];
    const Order channels = channels_order(view.last, rank);
    Order best = source_order(rank);
    for (const auto& [order, n] : votes)
        if (n > votes[best] || (n == votes[best] && order == channels)) best = order;
    return best;
}

// The first `count` operands and all results in one order; constants go along.
Plan together(const LayoutView& view, const Node& node, size_t count, bool broadcasts) {
    if (!view.ranked(node.out[0])) return std::nullopt;
    const size_t rank = view.rank(node.out[0]);
    for (const ValueId out : node.out)
        if (out != ValueId::none && (!view.ranked(out) || view.rank(out) != rank)) return std::nullopt;
    const Order order = common_order(view, node, count, rank);
    if (in_source_order(order)) return std::nullopt;
    LayoutPlan plan = plan_of(node);
    for (size_t i = 0; i < count; ++i) {
        const ValueId in = node.in[i];
        if (in == ValueId::none || (broadcasts && view.single(in) && !view.moved(in))) continue;
        const bool fits = view.graph.value(in).constant()
                              ? view.can_permute(in) && view.rank(in) <= rank && (broadcasts || view.rank(in) == rank)
                              : view.ranked(in) && view.rank(in) == rank;
        if (!fits) return std::nullopt;
        plan.in[i] = order;
    }
    std::fill(plan.out.begin(), plan.out.end(), order);
    return plan;
}

Plan elementwise(const LayoutView& view, const Node& node) { return together(view, node, node.in.size(), true); }

Plan along_axis(const LayoutView& view, const Node& node) {
    if (!has_attr(*node.op, "axis")) return std::nullopt;
    Plan plan = together(view, node, node.is(ops::Concat) ? node.in.size() : 1, false);
    if (!plan) return plan;
    const auto axis = static_cast<int64_t>(normal_axis(NodeView(node).integer("axis"), view.rank(node.in[0])));
    plan->rewrite = [place = place_of(plan->in[0], axis)](Node& n, const Numbers&) { n.attrs["axis"] = place; };
    return plan;
}

// ---- operators whose operand 0 is moved; everything else about them is constant -------------------------------------------

Plan data_plan(const LayoutView& view, const Node& node, Order out) {
    LayoutPlan plan = plan_of(node);
    plan.in[0] = view.order(node.in[0]);
    plan.out[0] = std::move(out);
    return plan;
}

// Nothing is left to do: the result is what the operand is, in an order of its own.
Plan transpose(const LayoutView& view, const Node& node) {
    const Order order = view.order(node.in[0]);
    Ints perm = NodeView(node).integers("perm");
    if (perm.empty()) {
        perm = source_order(order.size());
        std::reverse(perm.begin(), perm.end());
    }
    if (perm.size() != order.size() || view.graph.value(node.in[0]).enc != view.graph.value(node.out[0]).enc) return std::nullopt;
    Plan plan = data_plan(view, node, placed(perm, order));
    plan->rewrite = [](Node& n, const Numbers&) {
        n.op = need_op(ops::Identity);
        n.attrs.clear();
    };
    return plan;
}

Plan reshape(const LayoutView& view, const Node& node) {
    const Shape &from = view.graph.value(node.in[0]).type.shape, &to = view.graph.value(node.out[0]).type.shape;
    if (std::count_if(to.dims.begin(), to.dims.end(), [](const Dim& dim) { return !dim.known(); }) > 1) return std::nullopt;
    const auto way = carried(from, to, view.order(node.in[0]), view.last);
    if (!way || (in_source_order(way->in) && in_source_order(way->out))) return std::nullopt;
    LayoutPlan plan = plan_of(node);
    plan.in[0] = way->in;
    plan.out[0] = way->out;
    Ints shape;
    for (const int64_t axis : way->out)
        shape.push_back(to.dims[static_cast<size_t>(axis)].known() ? to.dims[static_cast<size_t>(axis)].value : -1);
    plan.rewrite = [shape](Node& n, const Numbers& numbers) {
        n.op = need_op(ops::Reshape);
        n.attrs.clear();
        put(n, 1, numbers, "shape", shape);
        n.in.resize(2);
    };
    return plan;
}

Plan squeeze(const LayoutView& view, const Node& node) {
    const auto& dims = view.graph.value(node.in[0]).type.shape.dims;
    Ints axes;
    if (input_of(node, 1) != ValueId::none) {
        const auto given = ints_of(view.graph, node.in[1]);
        if (!given) return std::nullopt;
        axes = normal(*given, dims.size());
    } else {
        for (size_t i = 0; i < dims.size(); ++i) {
            if (!dims[i].known()) return std::nullopt;
            if (dims[i].value == 1) axes.push_back(static_cast<int64_t>(i));
        }
    }
    const Order order = view.order(node.in[0]);
    Plan plan = data_plan(view, node, without(order, axes));
    plan->rewrite = [places = placed(order, axes)](Node& n, const Numbers& numbers) { put(n, 1, numbers, "axes", places); };
    return plan;
}

Plan unsqueeze(const LayoutView& view, const Node& node) {
    const auto given = ints_of(view.graph, input_of(node, 1));
    if (!given) return std::nullopt;
    const Order order = view.order(node.in[0]);
    Ints axes = normal(*given, order.size() + given->size()), kept;
    std::sort(axes.begin(), axes.end());
    for (size_t i = 0; i < order.size() + axes.size(); ++i)
        if (!std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i))) kept.push_back(static_cast<int64_t>(i));
    Order rest;
    for (const int64_t axis : order) rest.push_back(kept.at(static_cast<size_t>(axis)));
    Plan plan = data_plan(view, node, with_ones(rest, axes, view.last));
    plan->rewrite = [places = placed(plan->out[0], axes)](Node& n, const Numbers& numbers) { put(n, 1, numbers, "axes", places); };
    return plan;
}

// Slice and Pad name their axes in operand 3; without it they mean the first ones.
Plan framed(const LayoutView& view, const Node& node) {
    const Order order = view.order(node.in[0]);
    Ints axes;
    if (input_of(node, 3) != ValueId::none) {
        const auto given = ints_of(view.graph, node.in[3]);
        if (!given) return std::nullopt;
        axes = normal(*given, order.size());
    } else {
        const Shape& bounds = view.graph.value(node.in[1]).type.shape;
        if (bounds.rank() != 1 || !bounds.dims[0].known()) return std::nullopt;
        axes = source_order(node.is(ops::Slice) ? static_cast<size_t>(bounds.dims[0].value) : order.size());
        if (axes.size() > order.size()) return std::nullopt;
    }
    Plan plan = data_plan(view, node, order);
    plan->rewrite = [places = placed(order, axes)](Node& n, const Numbers& numbers) { put(n, 3, numbers, "axes", places); };
    return plan;
}

// The dims of the indices take the place of one of the data's.
Plan gather(const LayoutView& view, const Node& node) {
    if (!view.ranked(node.in[1]) || view.moved(node.in[1])) return std::nullopt;
    const Order order = view.order(node.in[0]);
    const auto axis = static_cast<int64_t>(normal_axis(NodeView(node).integer("axis"), order.size()));
    const auto more = static_cast<int64_t>(view.rank(node.in[1]));
    Order out;
    for (const int64_t dim : order) {
        if (dim != axis) out.push_back(dim < axis ? dim : dim + more - 1);
        for (int64_t i = 0; dim == axis && i < more; ++i) out.push_back(axis + i);
    }
    Plan plan = data_plan(view, node, out);
    plan->rewrite = [place = place_of(order, axis)](Node& n, const Numbers&) { n.attrs["axis"] = place; };
    return plan;
}

// Pictures as channels-first data: of 4 dims, the last ones change.
bool resizes_pictures(const LayoutView& view, const Node& node) {
    if (!view.ranked(node.in[0]) || !view.ranked(node.out[0]) || view.rank(node.in[0]) != 4) return false;
    const auto &from = view.graph.value(node.in[0]).type.shape.dims, &to = view.graph.value(node.out[0]).type.shape.dims;
    return same(from[0], to[0]) && same(from[1], to[1]) && from[3].known() && to[3].known() && !same(from[3], to[3]);
}

Plan resize(const LayoutView& view, const Node& node) {
    if (NodeView(node).text("coordinate_transformation_mode") == "tf_crop_and_resize") return std::nullopt;
    const bool first = view.last && !view.moved(node.in[0]);
    if (!view.moved(node.in[0]) && !(first && resizes_pictures(view, node))) return std::nullopt;
    const Order order = first ? channels_order(true, 4) : view.order(node.in[0]);
    Ints axes = normal(NodeView(node).integers("axes"), order.size());
    if (axes.empty()) axes = source_order(order.size());
    Plan plan = data_plan(view, node, order);
    plan->in[0] = order;
    plan->rewrite = [places = placed(order, axes)](Node& n, const Numbers&) { n.attrs["axes"] = places; };
    return plan;
}

Plan reduce(const LayoutView& view, const Node& node) {
    const auto given = ints_of(view.graph, input_of(node, 1));
    if (!given || given->empty()) return std::nullopt;
    const Order order = view.order(node.in[0]);
    const Ints axes = normal(*given, order.size());
    Plan plan = data_plan(view, node, NodeView(node).integer("keepdims") != 0 ? order : without(order, axes));
    plan->rewrite = [places = placed(order, axes)](Node& n, const Numbers& numbers) { put(n, 1, numbers, "axes", places); };
    return plan;
}

Plan arg(const LayoutView& view, const Node& node) {
    const Order order = view.order(node.in[0]);
    const auto axis = static_cast<int64_t>(normal_axis(NodeView(node).integer("axis"), order.size()));
    Plan plan = data_plan(view, node, NodeView(node).integer("keepdims") != 0 ? order : without(order, Ints{axis}));
    plan->rewrite = [place = place_of(order, axis)](Node& n, const Numbers&) { n.attrs["axis"] = place; };
    return plan;
}

struct Row {
    OpId op;
    Plan (*plan)(const LayoutView& view, const Node& node);
};
constexpr std::array rows{
    Row{ops::ArgMax, arg},
    Row{ops::ArgMin, arg},
    Row{ops::Flatten, reshape},
    Row{ops::Gather, gather},
    Row{ops::Pad, framed},
    Row{ops::ReduceL1, reduce},
    Row{ops::ReduceL2, reduce},
    Row{ops::ReduceMax, reduce},
    Row{ops::ReduceMean, reduce},
    Row{ops::ReduceMin, reduce},
    Row{ops::ReduceProd, reduce},
    Row{ops::ReduceSum, reduce},
    Row{ops::ReduceSumSquare, reduce},
    Row{ops::Reshape, reshape},
    Row{ops::Slice, framed},
    Row{ops::Squeeze, squeeze},
    Row{ops::Transpose, transpose},
    Row{ops::Unsqueeze, unsqueeze},
};

}  // namespace

std::optional<LayoutPlan> layout_plan(const LayoutView& view, const Node& node) {
    if (node.out.empty() || node.out[0] == ValueId::none || node.in.empty() || node.in[0] == ValueId::none || !node.bodies.empty())
        return std::nullopt;
    if (node.op->layout == Layout::spatial) return spatial(view, node);
    if (node.op->layout == Layout::agnostic && has(node.op->traits, Trait::elementwise)) return elementwise(view, node);
    if (node.op->layout == Layout::axis) return along_axis(view, node);
    if (node.is(ops::Resize)) return resize(view, node);
    if (!node.op->domain.empty() || !view.moved(node.in[0]) || !view.ranked(node.out[0])) return std::nullopt;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return node.is(r.op); });
    return row == rows.end() ? std::nullopt : row->plan(view, node);
}

}  // namespace quern
