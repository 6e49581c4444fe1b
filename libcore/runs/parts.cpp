#include "libcore/runs/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/type.h"

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

// Where an axis of a transposition's operand is in its result.
int transposed_axis(const Graph& graph, const Node& transpose, int axis) {
    const auto rank = static_cast<int>(graph.value(transpose.out[0]).type.shape.rank());
    const auto given = NodeView(transpose).integers("perm");
    if (given.empty()) return rank - 1 - axis;
    return static_cast<int>(std::ranges::find(given, axis) - given.begin());
}

// Of what this node computes, along its own axes.
PartLayout parts_of_node(const Graph& graph, const Node& node) {
    PartLayout parts;
    if (const auto axis = joined_axis(graph, node)) {
        if (add_operands(graph, node, *axis, parts) && parts.names.size() > 1) parts.axis = static_cast<int>(*axis);
        return parts.given() ? parts : PartLayout{};
    }
    const Shape& shape = graph.value(node.out[0]).type.shape;
    if (node.op->layout == Layout::spatial && node.op->quant.weight >= 0 && shape.ranked && shape.rank() > 2) parts.axis = 1;
    return parts;
}

}  // namespace

std::string PartLayout::name_of(size_t part) const {
    if (names.empty()) return fmt::format("channel {}", part);
    const int64_t begin = part == 0 ? 0 : ends[part - 1], last = ends[part] - 1;
    return fmt::format("\"{}\" ({} of axis {})", escape(names[part]),
                       begin == last ? fmt::to_string(begin) : fmt::format("{} to {}", begin, last), axis);
}

PartLayout parts_of(const Graph& graph, ValueId value) {
    std::vector<const Node*> transpositions;  // the last first
    for (;;) {
        const NodeId producer = graph.value(value).producer;
        if (producer == NodeId::none) return {};
        const Node& node = graph.node(producer);
        if (node.out[0] != value) return {};  // a second result
        if (node.is(ops::Transpose)) {
            if (!graph.value(node.out[0]).type.shape.ranked) return {};
            transpositions.push_back(&node);
            value = node.in[0];
        } else if (const ValueId operand = operand_alike(graph, node); operand != ValueId::none) {
            value = operand;
        } else {
            PartLayout parts = parts_of_node(graph, node);
            if (parts.given())
                for (auto transpose = transpositions.rbegin(); transpose != transpositions.rend(); ++transpose)
                    parts.axis = transposed_axis(graph, **transpose, parts.axis);
            return parts;
        }
    }
}

}  // namespace quern
