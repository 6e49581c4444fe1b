#include "libcore/runs/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/type.h"
#include "libcore/support/observe.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

// The one operand whose numbers, each by itself, give those of the result, of the same shape; none: there is no such operand.
ValueId operand_alike(const Graph& graph, const Node& node) {
    if (!has(node.op->traits, Trait::elementwise) && !node.is(ops::Identity)) return ValueId::none;
    ValueId found = ValueId::none;
    for (const ValueId in : node.in) {
        if (in == ValueId::none || graph.value(in).constant()) continue;
        if (found != ValueId::none) return ValueId::none;
        found = in;
    }
    if (found == ValueId::none || graph.value(found).type.shape != graph.value(node.out[0]).type.shape) return ValueId::none;
    return found;
}

std::optional<size_t> joined_axis(const Graph& graph, const Node& node) {
    const Shape& shape = graph.value(node.out[0]).type.shape;
    if (!node.is(ops::Concat) || !shape.ranked) return std::nullopt;
    return normal_axis(NodeView(node).integer("axis"), shape.rank());
}

// The operands of a Concat with where they end; of one that is itself a Concat along this axis, its operands. False: one has no known
// extent.
bool add_operands(const Graph& graph, const Node& concat, size_t axis, PartLayout& parts) {
    for (const ValueId in : concat.in) {
        const Value& operand = graph.value(in);
        const Shape& shape = operand.type.shape;
        if (!shape.ranked || axis >= shape.rank() || !shape.dims[axis].known()) return false;
        if (operand.producer != NodeId::none && joined_axis(graph, graph.node(operand.producer)) == axis) {
            if (!add_operands(graph, graph.node(operand.producer), axis, parts)) return false;
            continue;
        }
        parts.ends.push_back((parts.ends.empty() ? 0 : parts.ends.back()) + shape.dims[axis].value);
        parts.names.push_back(operand.name);
    }
    return true;
}

// Channels of a convolution or of a product of matrices with constant weights.
PartLayout channels_of(const Graph& graph, const Node& node) {
    PartLayout parts;
    const Shape& shape = graph.value(node.out[0]).type.shape;
    if (node.op->quant.weight < 0 || !shape.ranked || shape.rank() < 2) return parts;
    if (node.op->layout == Layout::spatial && shape.rank() > 2) {
        parts.axis = 1;
        parts.features = std::ranges::all_of(shape.dims.begin() + 2, shape.dims.end(), [](const Dim& dim) { return dim == Dim::of(1); });
    } else if (node.is(ops::MatMul, ops::Gemm) && weight_input(graph, node) == node.op->quant.weight) {
        parts.axis = static_cast<int>(shape.rank()) - 1;
        parts.features = true;
    }
    return parts;
}

// What a Pad with numbers of its own lies around.
PartLayout padded_parts(const Graph& graph, const Node& node) {
    PartLayout parts;
    const Shape& shape = graph.value(node.in[0]).type.shape;
    const auto pads = support::constant_integers(graph, node, 1);
    if (NodeView(node).text("mode") != "constant" || !pads || !shape.ranked || pads->size() != 2 * shape.rank()) return parts;
    if (node.in.size() > 3 && node.in[3] != ValueId::none) return parts;  // along some axes
    for (size_t d = 0; d < shape.rank(); ++d) {
        if (!shape.dims[d].known() && ((*pads)[d] != 0 || (*pads)[d + shape.rank()] != 0)) return {};
        const int64_t begin = shape.dims[d].known() ? std::max<int64_t>((*pads)[d], 0) : 0;
        parts.inside.emplace_back(begin, shape.dims[d].known() ? shape.dims[d].value + (*pads)[d] : std::numeric_limits<int64_t>::max());
    }
    parts.names = {graph.value(node.in[0]).name, "padding"};
    return parts;
}

// Of what this node computes, along its own axes.
PartLayout parts_of_node(const Graph& graph, const Node& node) {
    if (node.is(ops::Pad)) return padded_parts(graph, node);
    if (const auto axis = joined_axis(graph, node)) {
        PartLayout parts;
        if (add_operands(graph, node, *axis, parts) && parts.names.size() > 1) parts.axis = static_cast<int>(*axis);
        return parts.given() ? parts : PartLayout{};
    }
    return channels_of(graph, node);
}

// ---- the way on to the output ----

void transpose(const Graph& graph, const Node& node, PartLayout& parts) {
    const size_t rank = graph.value(node.out[0]).type.shape.rank();
    std::vector<int64_t> perm = NodeView(node).integers("perm");
    if (perm.empty())
        for (size_t i = rank; i > 0; --i) perm.push_back(static_cast<int64_t>(i) - 1);
    if (parts.inner > 0) {
        parts = {};  // runs that are torn apart
    } else if (!parts.inside.empty()) {
        const auto from = parts.inside;
        for (size_t i = 0; i < rank; ++i) parts.inside[i] = from[static_cast<size_t>(perm[i])];
    } else {
        parts.axis = static_cast<int>(std::ranges::find(perm, parts.axis) - perm.begin());
    }
}

// Numbers in dims from `first` on; nothing if one is not known.
std::optional<int64_t> numbers_from(const Shape& shape, size_t first) {
    int64_t count = 1;
    for (size_t i = first; i < shape.rank(); ++i) {
        if (!shape.dims[i].known()) return std::nullopt;
        count *= shape.dims[i].value;
    }
    return count;
}

// An axis that has become two is the second of them: [anchors, values].
void reshape(const Graph& graph, const Node& node, PartLayout& parts) {
    const Shape &from = graph.value(node.in[0]).type.shape, &to = graph.value(node.out[0]).type.shape;
    const bool known = from.ranked && to.ranked && parts.inside.empty();
    if (known && parts.inner == 0 && parts.axis < static_cast<int>(from.rank())) {
        const auto axis = static_cast<size_t>(parts.axis);
        const auto inner = numbers_from(from, axis + 1);
        parts.inner = inner && from.dims[axis].known() ? *inner : 0;
        parts.extent = from.dims[axis].value;
    }
    if (!known || parts.inner <= 0) {
        parts = {};
        return;
    }
    for (size_t axis = 0; axis < to.rank(); ++axis) {
        const auto inner = numbers_from(to, axis + 1);
        if (inner != parts.inner || !to.dims[axis].known() || to.dims[axis].value == 1) continue;
        const int64_t extent = to.dims[axis].value;
        if (extent != parts.extent && (!parts.ends.empty() || parts.extent % extent != 0)) continue;
        parts.axis = static_cast<int>(axis), parts.inner = 0;
        return;
    }
}

}  // namespace

std::string PartLayout::name_of(size_t part) const {
    if (names.empty()) return fmt::format("channel {}", part);
    if (!inside.empty()) return part == 0 ? fmt::format("\"{}\" (within the padding)", escape(names[0])) : names[1];
    const int64_t begin = part == 0 ? 0 : ends[part - 1], last = ends[part] - 1;
    return fmt::format("\"{}\" ({} of axis {})", escape(names[part]),
                       begin == last ? fmt::to_string(begin) : fmt::format("{} to {}", begin, last), axis);
}

PartLayout parts_of(const Graph& graph, ValueId value) {
    std::vector<const Node*> movers;  // the last first
    for (;;) {
        const NodeId producer = graph.value(value).producer;
        if (producer == NodeId::none) return {};
        const Node& node = graph.node(producer);
        if (node.out[0] != value) return {};  // a second result
        if (node.is(ops::Transpose) || node.is(ops::Reshape, ops::Flatten) || node.is(ops::Squeeze, ops::Unsqueeze)) {
            if (!graph.value(node.out[0]).type.shape.ranked) return {};
            movers.push_back(&node);
            value = node.in[0];
        } else if (const ValueId operand = operand_alike(graph, node); operand != ValueId::none) {
            value = operand;
        } else {
            PartLayout parts = parts_of_node(graph, node);
            for (auto mover = movers.rbegin(); parts.given() && mover != movers.rend(); ++mover)
                (*mover)->is(ops::Transpose) ? transpose(graph, **mover, parts) : reshape(graph, **mover, parts);
            return parts;
        }
    }
}

}  // namespace quern
