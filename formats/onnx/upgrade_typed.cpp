// Upgrades that need to know the rank of an input.
#include <algorithm>
#include <array>

#include "formats/onnx/upgrade.h"
#include "libcore/graph/op_ids.h"

namespace quern::onnx_format {
namespace {

const Shape& shape_of(const Graph& graph, NodeId id, size_t input) { return graph.value(graph.node(id).in.at(input)).type.shape; }

// Before opset 13 these worked on the input seen as a matrix, split at `axis` (default 1).
void coerced_to_matrix(Graph& graph, NodeId id, int) {
    Node& node = graph.node(id);
    const int64_t axis = node.attrs.contains("axis") ? NodeView(node).integer("axis") : 1;
    const Shape& shape = shape_of(graph, id, 0);
    node.attrs["axis"] = int64_t{-1};
    if (shape.ranked) {
        const size_t split = normal_axis(axis, shape.rank());
        bool last = true;  // is everything after the split axis of length 1, so that the last axis would do?
        for (size_t i = split + 1; i < shape.rank(); ++i) last = last && shape.dims[i].value == 1;
        if (last) {
            node.attrs["axis"] = static_cast<int64_t>(split);
            return;
        }
    }
    // x -> Flatten(axis) -> op(-1) -> Reshape(Shape(x)); the result keeps its name.
    const ValueId x = node.in[0], y = node.out[0];
    const std::string name = node.name;
    const DType dtype = graph.value(x).type.dtype;
    const ValueId flat = graph.add_value(graph.unique_name(name + "_flat"), Type::tensor(dtype));
    const ValueId result = graph.add_value(graph.unique_name(name + "_matrix"), Type::tensor(dtype));
    const ValueId dims = graph.add_value(graph.unique_name(name + "_shape"), Type::tensor(DType::i64));
    graph.add_node(need_op(ops::Flatten), graph.unique_node_name(name + "_flatten"), {x}, {flat}, {{"axis", axis}}, id);
    graph.add_node(need_op(ops::Shape), graph.unique_node_name(name + "_shape"), {x}, {dims}, {}, id);
    graph.node(id).in[0] = flat;
    graph.node(id).out[0] = result;
    graph.value(result).producer = id;
    graph.add_node(need_op(ops::Reshape), graph.unique_node_name(name + "_reshape"), {result, dims}, {y});
}

// A number that became an input is of the type of input 0.
void numbers_like_input(Graph& graph, NodeId id, int) {
    const DType dtype = graph.value(graph.node(id).in.at(0)).type.dtype;
    for (size_t i = 1; i < graph.node(id).in.size(); ++i) {
        const auto number = graph.constant(graph.node(id).in[i]);
        if (!number || number->dtype != DType::f32 || dtype == DType::f32 || dtype == DType::none) continue;
        const auto items = to_floats(*number);
        const ValueId typed = graph.add_constant(graph.value(graph.node(id).in[i]).name, from_floats(dtype, number->dims, items));
        graph.node(id).in[i] = typed;
    }
}

// Before opset 21 scale and bias had one number a group.
void group_norm_18(Graph& graph, NodeId id, int) {
    if (graph.node(id).in.size() < 3 || graph.node(id).in[1] == ValueId::none || graph.node(id).in[2] == ValueId::none)
        throw bad_input("has no scale or bias");
    const Shape& shape = shape_of(graph, id, 0);
    if (!graph.node(id).attrs.contains("num_groups")) throw bad_input("attribute \"num_groups\" is missing");
    const int64_t groups = NodeView(graph.node(id)).integer("num_groups");
    if (!shape.ranked || shape.rank() < 2 || !shape.dims[1].known())
        throw unsupported("scale per group of an input without known channels");
    if (groups <= 0 || shape.dims[1].value % groups != 0) throw bad_input("{} channels in {} groups", shape.dims[1].value, groups);
    const int64_t each = shape.dims[1].value / groups;
    for (const size_t input : {size_t{1}, size_t{2}}) {
        const ValueId x = graph.node(id).in.at(input);
        const std::string& name = graph.node(id).name;
        const DType dtype = graph.value(x).type.dtype;
        const auto middle = [&](const char* what) { return graph.add_value(graph.unique_name(name + what), Type::tensor(dtype)); };
        const auto add = [&](OpId op, ValueId from, const Tensor& with, ValueId to) {
            const ValueId constant = graph.add_constant(name + "_dims", with);
            graph.add_node(need_op(op), graph.unique_node_name(name + "_" + std::string(op.name)), {from, constant}, {to}, {}, id);
        };
        const ValueId column = middle("_column"), wide = middle("_wide"), all = middle("_channels");
        add(ops::Unsqueeze, x, Tensor::vector<int64_t>(std::array<int64_t, 1>{1}), column);
        add(ops::Expand, column, Tensor::vector<int64_t>(std::array<int64_t, 2>{groups, each}), wide);
        add(ops::Reshape, wide, Tensor::vector<int64_t>(std::array<int64_t, 1>{-1}), all);
        graph.node(id).in[input] = all;
    }
}

constexpr std::array upgrade_typed_table{
    Upgrade{ops::Clip, 11, numbers_like_input},   Upgrade{ops::GroupNormalization, 21, group_norm_18},
    Upgrade{ops::Hardmax, 13, coerced_to_matrix}, Upgrade{ops::LogSoftmax, 13, coerced_to_matrix},
    Upgrade{ops::Pad, 11, numbers_like_input},    Upgrade{ops::Softmax, 13, coerced_to_matrix},
};

}  // namespace

std::span<const Upgrade> typed_upgrades() { return upgrade_typed_table; }

bool broadcasts_explicitly(const Node& node, int version) {
    if (version >= 7 || node.in.size() != 2 || node.in[0] == ValueId::none || node.in[1] == ValueId::none) return false;
    if (node.is(ops::PRelu)) return true;
    return node.attrs.contains("axis") &&
           node.is(ops::Add, ops::And, ops::Div, ops::Equal, ops::Greater, ops::Less, ops::Mul, ops::Or, ops::Pow, ops::Sub, ops::Xor);
}

bool explicit_broadcast(Graph& graph, NodeId id) {
    Node& node = graph.node(id);
    if (!shape_of(graph, id, 0).ranked || !shape_of(graph, id, 1).ranked) return false;
    const size_t rank = shape_of(graph, id, 0).rank(), second = shape_of(graph, id, 1).rank();
    int64_t axis = 1;
    if (const auto found = node.attrs.find("axis"); found != node.attrs.end()) {
        const auto* number = std::get_if<int64_t>(&found->second);
        if (!number) throw bad_input("attribute \"axis\" has the wrong type");
        axis = *number;
    }
    node.attrs.erase("axis");
    if (rank < 2 || second == 0 || (node.is(ops::PRelu) && second > 1)) return true;
    const size_t end = normal_axis(axis, rank) + second;
    if (end > rank) throw bad_input("{} dims at axis {} of {}", second, axis, rank);
    std::vector<int64_t> axes;
    for (size_t i = end; i < rank; ++i) axes.push_back(static_cast<int64_t>(second + i - end));
    if (axes.empty()) return true;
    const ValueId tail = graph.add_constant(node.name + "_axes", Tensor::vector<int64_t>(axes));
    const ValueId wide = graph.add_value(graph.unique_name(node.name + "_wide"), Type::tensor(graph.value(node.in[1]).type.dtype));
    graph.add_node(need_op(ops::Unsqueeze), graph.unique_node_name(node.name + "_unsqueeze"), {node.in[1], tail}, {wide}, {}, id);
    graph.node(id).in[1] = wide;
    return true;
}

}  // namespace quern::onnx_format
